"""A replacement for `typing.NamedTuple`, whose import takes a third of a runner's start: a constructor is compiled when
the first value of its class is made. Type checkers see `typing.NamedTuple`.
"""

from __future__ import annotations

from _collections import _tuplegetter  # type: ignore[import-not-found]  # gives fields fast access

TYPE_CHECKING = False  # same name and value as in `typing`, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Self
    from typing import NamedTuple as NamedTuple
else:

    class _Defining(type):
        """Turns a class that derives from `NamedTuple` into a class of tuples; its annotated names are the fields."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            made = type(name, (_Named,), body | {"__slots__": ()})
            fields = tuple(made.__annotations__)  # not those of `body`: since Python 3.14 they may come later
            defaults = {field: body[field] for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one that has one")
            for number, field in enumerate(fields):
                setattr(made, field, _tuplegetter(number, None))
            made.__match_args__ = made._fields = fields
            made._field_defaults = defaults
            return made

    class NamedTuple(metaclass=_Defining):
        pass


class _Named(tuple):  # type: ignore[type-arg]
    """The common base of these classes."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    _field_defaults: dict[str, Any] = {}

    def __new__(cls, /, *values: Any, **named: Any) -> Self:
        """Make the first value of a class, and give the class its own constructor for all later ones."""
        owner = next(each for each in cls.__mro__ if "_fields" in vars(each))
        constructor = _constructor(owner)
        owner.__new__ = staticmethod(constructor)  # type: ignore[method-assign]
        made: Self = constructor(cls, *values, **named)
        return made

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, received {len(made)}")
        return made

    def _replace(self, /, **named: Any) -> Self:
        made = tuple.__new__(type(self), map(named.pop, self._fields, self))
        if named:
            raise ValueError(f"{type(self).__name__} has no field {', '.join(named)}")
        return made

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        said = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({said})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


def _constructor(owner: type[_Named]) -> Any:
    """Compile a constructor as short as a handwritten one; Python itself refuses calls with other fields."""
    fields = owner._fields
    values = ", ".join(fields) + ("," if fields else "")
    made = eval(f"lambda _class, {values}: _new(_class, ({values}))", {"_new": tuple.__new__})
    made.__defaults__ = tuple(owner._field_defaults.values())
    made.__name__ = made.__qualname__ = owner.__name__
    return made
