"""The lease of the host, in the database of the tests."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from arena.lease import Lease
from arena.models import Host

pytestmark = pytest.mark.django_db(transaction=True)


def expire() -> None:
    Host.objects.update(expires=Now() - timedelta(seconds=1))


def test_the_first_one_is_the_host_and_the_second_is_not() -> None:
    first, second = Lease("first"), Lease("second")
    assert first.take() and not second.take()
    assert first.holder() == second.holder() == "first"


def test_it_is_held_as_long_as_it_is_renewed() -> None:
    first = Lease("first")
    first.take()
    Host.objects.update(expires=Now() + timedelta(seconds=1))
    before = Host.objects.get().expires
    assert first.renew()
    assert Host.objects.get().expires > before


def test_an_expired_one_is_taken_in_a_new_epoch_and_its_holder_learns_it() -> None:
    first, second = Lease("first"), Lease("second")
    first.take()
    expire()
    assert first.holder() == ""
    assert second.take()
    assert (second.epoch, second.holder()) == (2, "second")
    assert not first.renew() and not first.take()


def test_who_could_not_renew_goes_on_while_nobody_else_took_it() -> None:
    first = Lease("first")
    first.take()
    expire()
    assert first.renew() and first.holder() == "first"


def test_one_that_is_given_back_is_free_at_once() -> None:
    first, second = Lease("first"), Lease("second")
    first.take()
    first.release()
    assert second.take()
    first.release()
    assert second.holder() == "second", "nobody gives back what is another's"
