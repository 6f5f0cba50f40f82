// Sentences, with what stands in braces filled in. What readers of another language are sent says the same in theirs.
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
export const _ = (text, values = {}) => filled(text, values);
export const _p = (context, text, values) => _(text, values);
export const _n = (one, many, n, values = {}) => filled(n === 1 ? one : many, { n, ...values });
