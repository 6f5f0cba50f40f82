"""The compression dictionary of packed logs: text that they have in common. Each needs it byte for byte to be read, so
never change it: add another, pack with that one, and keep the old ones in `ALL`.
"""

from __future__ import annotations

from zlib import adler32

_PLIES = 120


def _alike(text: str, times: int = 50) -> str:
    return ",".join([text] * times)


# Rarest first: entries near the end cost least. The columns are in the order of those of a packed log.
_PARTS = (
    '{"failure":{"card":"","received":"","expected":""}},{"given_back_ms":{"what":"draw","takeback":"","move":"',
    '"refunded","note","hint","withdrew","declined","offered","takeback","resumed","paused","opening","staff","system",',
    '"EAST","NORTH","WEST","SOUTH","PUT","PLACE","SOUTHEAST","0,0","1,1","2,2","3,3","4,4","5,5","a1b2","c3d4","e5d5",',
    "600000,600000,300000,300000,180000,180000,120000,120000,60000,60000,30000,30000,10000,10000,",
    ",".join(str(number) for number in range(10, 60)),
    '"connect-four-8x8","santorini-5x5","santorini-6x6","expanding-nim","settings":{"stones":100,"resets":4},"santorini-',
    'json","gamestate","native","nyu-nim","fiar","builtin","best","club","expert","casual","beginner","human","forfeit",',
    '"on_offer":"ask","startup_ms":20000,"3m+2s","5m+3s","1m+1s","10m","none","offers":true,"kind":"screen","sample",',
    '"played_on":{"worker":"","cpu":"","python":"","rules":"","began":"',
    "],[1,[1," + _alike("1") + "],[17",
    '],["opened","started",' + _alike('"move"') + "],[null,null," + ",".join(str(ply) for ply in range(1, _PLIES)),
    "],[null,null,"
    + _alike("0,1", 30)
    + '],["","","3","4","5","2","6","1","7","0","8","3","3","4","4","5","5","2","2",',
    '"6","6","1","1","7","7","4","3"],[null,null,1,2,3,1,0,4,2,0,5,' + _alike("0"),
    "],[null,null," + _alike("5000") + "],[null,null," + _alike("5000") + '],["",' + _alike('""'),
    '],[{"variant":"connect-four-7x6","seats":[{"name":"python-1","kind":"bot","player":null,"protocol":"droidcon",',
    '"level":"","verified":true,"holder":"","on_illegal":"lose","on_offer":"decline","startup_ms":20000,"owner":1},{"',
    'name":"python-2","kind":"bot","player":null,"protocol":"droidcon","level":"","verified":false,"holder":"","on_',
    'illegal":"lose","on_offer":"decline","startup_ms":20000,"owner":null}],"settings":{},"clock":"5s","rated":false,',
    '"room":null,"series":1,"round":1,"rounds":4,"pace_ms":0,"opening":"","pairing":null,"offers":false,"kind":"",',
    '"adjudicate":0},' + _alike("{}") + "],[" + _alike("2") + "],[" + _alike("1") + "]]",
)
NEWEST = "".join(_PARTS).encode()
# The dictionaries by the checksum with which a packed log names its own.
ALL = {adler32(words): words for words in (NEWEST,)}
