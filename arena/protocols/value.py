"""Small immutable values that compare by class and fields, like frozen dataclasses, of which each takes 0.4 ms to
define: dozens would be the longest wait in the start of a runner.
"""

from __future__ import annotations

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, ClassVar, dataclass_transform
else:

    def dataclass_transform(**_):
        """Stands in for the decorator of `typing`, which only type checkers need."""
        return lambda marked: marked


@dataclass_transform(frozen_default=True)
class FrozenValue:
    """The annotated names of a subclass are its fields, in order; those with a value are optional."""

    field_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.field_names = (*cls.field_names, *cls.__annotations__)
        type.__setattr__(cls, "__match_args__", cls.field_names)

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.field_names
        if not named and len(values) == len(names):  # the usual case
            self.__dict__.update(zip(names, values, strict=True))
            return
        said = dict(zip(names, values, strict=False)) | named
        if len(values) + len(named) != len(said) or not said.keys() <= set(names):
            raise TypeError(
                f"{type(self).__name__} has the fields {', '.join(names) or 'none'}; received {values}, {named}"
            )
        missing = [name for name in names if name not in said and not hasattr(type(self), name)]
        if missing:
            raise TypeError(f"{type(self).__name__} needs {', '.join(missing)} too")
        self.__dict__.update(said)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is a value: {name!r} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is a value: {name!r} cannot be deleted")

    def _fields(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.field_names])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, FrozenValue)
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self), self._fields()))

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.field_names)
        return f"{type(self).__name__}({said})"
