"""Values: equal by what they hold and by their class, and never changed."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from arena.protocols.adapter import Challenge, Closed, Hello, Join, Ready


def test_values_are_equal_by_class_and_fields() -> None:
    assert Hello("ada") == Hello(name="ada", token="") != Hello("ada", "arn_x")
    assert Join("x") != Challenge("x") and Ready() != Closed() and Ready() == Ready()
    assert len({Join("x"), Join("x"), Join("y"), Challenge("x")}) == 3
    assert repr(Hello("ada")) == "Hello(name='ada', token='')"


def test_they_match_by_position_and_survive_a_pickle() -> None:
    match Hello("ada", "t"):
        case Hello(name, token):
            assert (name, token) == ("ada", "t")
    assert pickle.loads(pickle.dumps(Join("x"))) == copy.copy(Join("x")) == Join("x")


def test_a_module_may_leave_its_annotations_to_python() -> None:
    """Without `from __future__ import annotations`, Python 3.14 and newer make them only when they are read."""
    made: dict[str, Any] = {"__name__": __name__}
    source = "from arena.protocols.value import FrozenValue\nclass Place(FrozenValue):\n    x: int\n    y: int = 2"
    exec(compile(source, "places.py", "exec", dont_inherit=True), made)
    assert made["Place"].field_names == ("x", "y") and repr(made["Place"](1)) == "Place(x=1, y=2)"


def test_they_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="Join is a value: 'code' cannot be changed"):
        setattr(Join("x"), "code", "y")  # noqa: B010
    with pytest.raises(AttributeError, match="cannot be deleted"):
        delattr(Join("x"), "code")  # noqa: B043


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("x", "y"), {}), (("x",), {"code": "y"}), ((), {"room": "x"})]
)
def test_other_fields_than_its_own_are_refused(values: tuple[str, ...], named: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="Join (needs code too|has the fields code)"):
        Join(*values, **named)
