from __future__ import annotations

from arena.rooms.room_updates import Followers, PublicFollowers, RoomUpdates


def test_who_follows_a_code_is_told_and_nobody_else() -> None:
    updates, told = RoomUpdates(), list[str]()

    def one() -> None:
        told.append("one")

    def two() -> None:
        told.append("two")

    updates.follow("A", one)
    updates.follow("A", two)
    updates.follow("B", two)
    updates.publish("A")
    assert told == ["one", "two"]
    updates.unfollow("A", one)
    updates.publish("A")
    assert told == ["one", "two", "two"]


def test_who_leaves_while_it_is_told_is_told_no_more() -> None:
    updates, told = RoomUpdates(), list[str]()

    def once() -> None:
        told.append("once")
        updates.unfollow("A", once)

    updates.follow("A", once)
    updates.publish("A")
    updates.publish("A")
    updates.publish("nobody")
    updates.unfollow("nobody", once)
    assert told == ["once"]


def test_a_follower_that_is_removed_is_told_nothing() -> None:
    followers, told = Followers(), list[str]()

    def tell() -> None:
        told.append("changed")

    followers.add(tell)
    followers.tell()
    followers.remove(tell)
    followers.tell()
    assert told == ["changed"] and not followers


def test_who_follows_the_code_of_a_public_room_is_told_what_its_followers_are() -> None:
    updates, told = RoomUpdates(), list[str]()
    followers = PublicFollowers(updates, "A")
    followers.add(lambda: told.append("follower of the room"))
    updates.follow("A", lambda: told.append("follower of the code"))
    updates.follow("B", lambda: told.append("follower of another code"))
    followers.tell()
    assert told == ["follower of the room", "follower of the code"]
