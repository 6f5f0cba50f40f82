"""`NamedTuple` of our own behaves as the one of `typing`, which is loaded by none that can do without."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import typing

import pytest

from games.named import NamedTuple


class Place(NamedTuple):
    """Where somebody stands."""

    x: int
    y: int = 2
    name: str = ""

    @property
    def sum(self) -> int:
        return self.x + self.y


class Same(typing.NamedTuple):
    """The same by `typing`."""

    x: int
    y: int = 2
    name: str = ""


def test_a_value_is_a_tuple_with_names() -> None:
    place = Place(1, name="here")
    assert place == (1, 2, "here") == Same(1, name="here") and place.sum == 3
    assert (place.x, place[2], len(place), hash(place)) == (1, "here", 3, hash((1, 2, "here")))
    assert repr(place) == repr(Same(1, name="here")).replace("Same", "Place")
    assert (Place._fields, Place._field_defaults) == (Same._fields, Same._field_defaults)
    assert place._replace(y=5) == Place(1, 5, "here") and place._asdict() == {"x": 1, "y": 2, "name": "here"}
    assert Place._make([1, 2, "a"]) == Place(1, 2, "a") and Place.__doc__ == "Where somebody stands."


def test_it_matches_by_position_and_survives_a_pickle() -> None:
    match Place(7, 8):
        case Place(x, y):
            assert (x, y) == (7, 8)
    assert pickle.loads(pickle.dumps(Place(1))) == copy.deepcopy(Place(1)) == Place(1)
    assert type(pickle.loads(pickle.dumps(Place(1)))) is Place


def test_it_cannot_be_changed_and_has_no_room_for_more() -> None:
    with pytest.raises(AttributeError):
        setattr(Place(1), "x", 2)  # noqa: B010
    with pytest.raises(AttributeError):
        setattr(Place(1), "z", 2)  # noqa: B010


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, "", 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_other_fields_than_its_own_are_refused(values: tuple[int, ...], named: dict[str, int]) -> None:
    made: typing.Any = Place
    for _ in range(2):  # the first value of a class is made in another way
        with pytest.raises(TypeError):
            made(*values, **named)
    with pytest.raises(ValueError, match="Place has no field z"):
        Place(1)._replace(z=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Place has 3 fields, received 1"):
        Place._make([1])


def test_a_field_without_a_default_cannot_follow_one_with_a_default() -> None:
    with pytest.raises(TypeError, match="a field without a default"):
        type(NamedTuple)("Wrong", (NamedTuple,), {"__annotations__": {"x": "int", "y": "int"}, "x": 1})  # type: ignore[misc]


def test_a_module_may_leave_its_annotations_to_python() -> None:
    """Without `from __future__ import annotations`, Python 3.14 and newer make them only when they are read."""
    made: dict[str, typing.Any] = {"__name__": __name__}
    source = "from games.named import NamedTuple\nclass Place(NamedTuple):\n    x: int\n    y: int = 2"
    exec(compile(source, "places.py", "exec", dont_inherit=True), made)
    assert made["Place"]._fields == ("x", "y") and made["Place"](1) == (1, 2)


def test_a_class_of_it_may_have_more_than_its_fields() -> None:
    class Named(Place):
        def __str__(self) -> str:
            return f"{self.name} at {self.x}"

    assert str(Named(1, 2, "ada")) == "ada at 1" and type(Named(1)._replace(x=2)) is Named


def test_it_loads_next_to_nothing() -> None:
    code = "import games.named, sys; print(*sorted({'typing', 're', 'enum', 'dataclasses'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout == "\n"
