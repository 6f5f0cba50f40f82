from __future__ import annotations

import pytest
from django.template.loader import render_to_string

import games
from arena.match.commands import Resign
from arena.match.state import SeatSetup
from arena.web.match import fragments
from arena.web.match.scene import Signals
from tests.web import markup
from tests.web.played import Played

EVIL = (SeatSetup("<script>alert(1)</script>"), SeatSetup("\"'><img src=x>", "bot", protocol="<b>"))
AUDIENCES = ["0", "1", ""]


def _frame(match: Played, audience: str, base: int | None = None) -> str:
    return fragments.frame(match.scene(audience, base=len(match.events) - 1 if base is None else base))


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_frame_begins_with_where_the_match_stands(audience: str) -> None:
    match = Played(moves="44")
    assert _frame(match, audience).startswith(
        '<div id="live" data-seq="4" data-base="3" data-ply="2" data-status="running"'
    )


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_frame_carries_every_part_that_may_have_changed(audience: str) -> None:
    elements = markup.read(_frame(Played(moves="44"), audience))
    swaps = {
        e.attributes.get("id", "wrapper"): e.attributes["hx-swap-oob"]
        for e in elements
        if "hx-swap-oob" in e.attributes
    }
    assert swaps == {
        "live": "true",
        "pieces": "morph",
        "controls": "morph",
        "reader": "morph",
        "p-far": "morph",
        "p-near": "morph",
        "status": "morph",
        "watching": "true",
        "wrapper": "beforeend:#moves",
        "say-next": "true",
    }


@pytest.mark.parametrize("slug", games.slugs())
def test_a_board_that_takes_the_focus_is_called_as_its_picture_is(slug: str) -> None:
    variant = games.variant(slug)
    stage = fragments.empty_stage(variant.title, variant.game, variant.start())
    page = render_to_string("arena/fragments/stage.html", {"stage": stage, "action": "", "step_action": ""})
    picture = markup.by_id(page, markup.by_id(page, "board").attributes["aria-labelledby"])
    assert picture.attributes["role"] == "img" and picture.attributes["aria-label"].startswith(variant.title)


def test_only_new_moves_are_appended_and_only_news_is_said() -> None:
    match = Played(moves="443")
    assert [e.attributes["id"] for e in markup.read(_frame(match, "0")) if e.tag == "li"] == ["m-3"]
    nothing_new = _frame(match, "0", base=len(match.events))
    assert "beforeend" not in nothing_new and "say-next" not in nothing_new


def test_a_snapshot_replaces_the_whole_list() -> None:
    drawn = fragments.snapshot(Played(moves="443").scene("0"))
    moves = markup.by_id(drawn, "moves").attributes
    assert (moves["hx-swap-oob"], moves["hx-ext"]) == ("true", "ignore:morph")
    assert [e.attributes["id"] for e in markup.read(drawn) if e.tag == "li"] == ["m-1", "m-2", "m-3"]


def test_a_snapshot_says_only_what_is_news_to_its_reader() -> None:
    match = Played(moves="443")
    scene = match.scene("0", heard=len(match.events) - 1)
    said = markup.by_id(fragments.snapshot(scene, says=True), "say-next").attributes
    assert (said["data-say"], said["hx-swap-oob"]) == ("You dropped in column 3, row 1.", "true")
    assert "say-next" not in fragments.snapshot(match.scene("0"))
    assert "say-next" not in fragments.snapshot(match.scene("0", heard=len(match.events)), says=True)


def test_a_snapshot_brings_every_part_of_a_frame() -> None:
    match = Played(moves="443")
    frame, snapshot = (
        {element.attributes["id"] for element in markup.read(drawn) if "hx-swap-oob" in element.attributes}
        for drawn in (_frame(match, "0", base=len(match.events)), fragments.snapshot(match.scene("0")))
    )
    assert snapshot == {*frame, "moves"}


@pytest.mark.parametrize("slug", [variant.slug for variant in games.variants()])
def test_what_watchers_get_lets_them_move_nothing_and_calls_nobody_you(slug: str) -> None:
    match = Played(slug, games.variant(slug).start().legal_moves()[:1])
    drawn = _frame(match, "", base=0)
    assert markup.buttons(drawn) == [] and "input" not in {element.tag for element in markup.read(drawn)}
    assert "you" not in markup.words(drawn).lower().split()


def test_the_form_says_which_move_it_is_for() -> None:
    drawn = fragments.controls(Played(moves="44").scene("0"))
    field = next(element.attributes for element in markup.read(drawn) if element.tag == "input")
    assert (field["name"], field["value"]) == ("ply", "3")


def test_the_same_choice_has_the_same_key() -> None:
    def key(match: Played, audience: str) -> str:
        return markup.by_id(fragments.controls(match.scene(audience)), "controls").attributes["data-key"]

    match = Played(moves="44")
    assert key(match, "0") == key(Played(moves="44"), "0")
    assert len({key(match, "0"), key(match, "1"), key(Played(moves="4"), "0")}) == 3


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("ended", [False, True])
def test_names_are_never_markup(audience: str, ended: bool) -> None:
    match = Played(moves="44", seats=EVIL)
    if ended:
        match.do(Resign(0))
    drawn = _frame(match, audience, base=0)
    page = fragments.page(match.scene(audience))
    for html in (
        drawn,
        page.far + page.near + page.status + page.moves,
        fragments.refused(match.scene("0"), "x", "<i>"),
    ):
        assert {"script", "img", "i"}.isdisjoint(element.tag for element in markup.read(html))
    assert "<script>alert(1)</script>" in markup.words(drawn)


def test_no_fragment_holds_a_token_of_a_visitor() -> None:
    for audience in AUDIENCES:
        assert "csrf" not in fragments.snapshot(Played(moves="44").scene(audience))


def test_a_page_is_made_of_the_same_parts_as_a_frame() -> None:
    scene = Played(moves="44").scene("0")
    page = fragments.page(scene)
    shown = page.live + page.far + page.near + page.status + page.stage.pieces + page.stage.controls + page.stage.reader
    assert markup.read(shown), "each id stands once"
    assert "hx-swap-oob" not in shown + page.moves + page.watching
    snapshot = fragments.snapshot(scene).replace(' hx-swap-oob="morph"', "").replace(' hx-swap-oob="true"', "")
    assert all(part in snapshot for part in (page.far, page.near, page.status, page.stage.pieces, page.moves))


def test_looking_back_leaves_alone_where_the_match_stands() -> None:
    drawn = fragments.board_at(Played(moves="443").scene("0", ply=1))
    ids = [e.attributes["id"] for e in markup.read(drawn) if "hx-swap-oob" in e.attributes]
    assert ids == ["pieces", "controls", "reader", "status"]


def test_the_move_that_is_looked_at_is_marked_in_the_list() -> None:
    drawn = fragments.moves(Played(moves="443").scene("0", ply=2))
    current = [e.attributes["href"] for e in markup.read(drawn) if e.attributes.get("aria-current") == "step"]
    assert current == ["/m/abc/?ply=2"]


def test_a_refusal_is_seen_and_read_aloud_and_changes_nothing_else() -> None:
    drawn = fragments.refused(Played(moves="44").scene("1"), "not_your_turn", "ignored")
    assert markup.words(drawn) == "It is Mira's turn. Your move was not sent."
    assert markup.by_id(drawn, "say-next").attributes["data-alert"] == "It is Mira's turn. Your move was not sent."
    assert markup.by_id(drawn, "say-next").attributes["data-code"] == "not_your_turn", "sending.js keeps some moves"
    assert [e.attributes["id"] for e in markup.read(drawn) if "id" in e.attributes] == ["status", "say-next"]


def test_a_running_clock_says_when_it_was_read() -> None:
    drawn = fragments.frame(Played(moves="4").scene("0", signals=Signals(now_ms=7, left_ms=(118_800, 60_999))))
    clocks = [e.attributes for e in markup.read(drawn) if "clock" in e.attributes.get("class", "").split()]
    running = [(clock["data-left"], clock["data-at"]) for clock in clocks if "data-running" in clock]
    assert running == [("60999", "7")] and len(clocks) == 2
    assert "1:00" in markup.words(drawn)


def test_an_empty_board_can_be_begun_by_the_first_seat() -> None:
    variant = games.variant("connect-four-7x6")
    stage = fragments.empty_stage(variant.title, variant.game, variant.start())
    assert [button["value"] for button in markup.buttons(stage.controls)] == list("1234567")


def test_the_end_replaces_the_line_by_a_card() -> None:
    drawn = fragments.status(Played(moves="4152637").scene("1"))
    assert markup.by_id(drawn, "status").attributes["class"] == "result lost"
    assert markup.words(drawn).startswith("Mira won Four in a row, from column 4 to 7 · Friendly, ratings unchanged")


def test_the_way_to_the_next_match_is_followed_by_seats() -> None:
    link = markup.by_id(fragments.goto("/m/next/", "Go to round 2"), "goto").attributes
    assert (link["href"], link["data-go"]) == ("/m/next/", "seats")


@pytest.mark.parametrize(
    ("rounds", "of", "squares"),
    [
        ("wl", 4, ["w", "l", "now", ""]),
        ("", 30_000, ["now", *[""] * 19]),
        ("d" * 100 + "w", 30_000, [*"d" * 18, "w", "now"]),
        ("w" * 29, 30, [*"w" * 19, "now"]),
    ],
)
def test_of_a_long_series_the_newest_rounds_are_squares(rounds: str, of: int, squares: list[str]) -> None:
    scene = Played(moves="4").scene("")
    card = scene.cards[0]._replace(rounds=rounds, of=of)
    drawn = fragments._pips(scene, card)
    assert [square.attributes["class"] for square in markup.read(drawn) if square.tag == "i"] == squares


@pytest.mark.parametrize("variant", ["connect-four-7x6", "expanding-nim", "santorini-6x6"])
def test_a_match_that_was_resigned_leaves_nothing_to_choose(variant: str) -> None:
    scene = Played(variant).do(Resign(0)).scene("1")
    assert markup.words(fragments.controls(scene)) == "" and markup.buttons(fragments.controls(scene)) == []


def test_won_lost_and_drawn_look_different_and_only_the_winner_is_cheered() -> None:
    match = Played().do(Resign(0))
    cards = {audience: fragments.status(match.scene(audience)) for audience in ("0", "1", "")}
    looks = {audience: markup.by_id(card, "status").attributes["class"] for audience, card in cards.items()}
    assert looks == {"0": "result lost", "1": "result won", "": "result over"}
    assert [audience for audience, card in cards.items() if "cheer" in card] == ["1"]


def test_nobody_is_shown_as_there_once_a_match_is_over_and_no_rematch_can_follow() -> None:
    played = Played(moves="4343")
    assert 'class="dot"' in fragments.player(played.scene(), played.scene().far, "far")
    over = played.do(Resign(1)).scene()
    assert "dot" not in fragments.player(over, over.far, "far")


def test_whose_page_it_is_is_shown_as_there_before_the_websocket_is() -> None:
    nobody = Signals(here=(False, False))
    mine, watched = (Played(moves="43").scene(audience, signals=nobody) for audience in ("0", ""))
    assert "Offline" not in fragments.player(mine, mine.near, "near")
    assert "Offline" in fragments.player(mine, mine.far, "far")
    assert "Offline" in fragments.player(watched, watched.near, "near")
