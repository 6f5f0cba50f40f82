// What somebody has opened stays open when a newer picture is morphed in.
const callbacks = window.Idiomorph?.defaults?.callbacks;
if (callbacks) callbacks.beforeAttributeUpdated = (name, node) => !(name === "open" && node.tagName === "DETAILS");
