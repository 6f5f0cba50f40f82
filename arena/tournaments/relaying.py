"""Events' matches that other processes play and report, as live matches that this host does not referee."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.db import DatabaseError

from arena.cluster.lease import by_holder
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.endings import Termination
from arena.tournaments import actions
from arena.work import rows

REASON = "the process that played it was lost, stood still or was called off; the match is played again"


class RelayedMatches:
    """The relayed matches, for the loop of the host."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    async def restore(self) -> list[str]:
        """Show the matches that were reported so far, whether or not anybody continues them. Returns them."""
        told = await sync_to_async(rows.told)()
        for match in told:
            await self.show(match)
        return told

    async def show(self, match: str) -> None:
        """Show what has been stored of it since."""
        await self._referee.relay(match)

    async def end(self, match: str) -> None:
        """Nobody plays it any more. If staff have stopped it, the organiser decides, as for any other match."""
        live = await self._referee.load(match)
        if live is None:
            return
        if not live.over:
            try:
                await self._referee.abort(live, "server_abort", REASON)
            except Refusal as why:
                raise DatabaseError(f"match {match} cannot be ended now: {why}") from None
        elif live.state.termination == Termination.ADMIN_ABORT and live.state.setup.pairing is not None:
            await sync_to_async(self._hand_over)(live.state.setup.pairing)

    def _hand_over(self, pairing: int) -> None:
        with by_holder(self._referee.ledger.store.fence):
            actions.count_fault(pairing, hand_over=True)
