"""The compression dictionary of packed wires, with text that wires have in common. It reduces the size of a match of 42
moves by a third.

Every row packed with a dictionary needs it unchanged, byte for byte, to be read. Never change one: add another, pack
with that, and keep the old ones in `ALL`.
"""

from __future__ import annotations

from zlib import adler32

# Rarest first: entries near the end cost least.
_PARTS = (
    r'"[\"join\",\"","\"OK\"\n","[\"new_game\",\"","[\"place\",[]]\n","[\"place\",[{\"player\":\"',
    r'\",\"x\":2,\"y\":3},{\"player\":\"","[[\"move\",{\"player\":\"',
    r"\",\"id\":1},[\"EAST\",\"NORTH\",\"WEST\",\"SOUTH\"]],[\"build\",[\"PUT\",\"PUT\"]]]",
    r'","[\"turn\",[[0,0,0,0,0,0],[0,0,0,0,\"0',
    r'2\",0],[0,0,1,2,3,4],[0,0,0,0,0,0]]]\n","[\"end_of_game\",\"","[\"irregular\",[\"playing-as\",\"',
    r'"{\"type\": \"hello\", \"name\": \"","{\"type\":\"welcome\",\"version\":1,\"you\":\"',
    r'"{\"type\": \"join\", \"room\": \"","{\"type\":\"seat\",\"match\":\"","\"seat\":0,\"opponent\":\"',
    r'\",\"clock\":\"5s\",\"round\":1,\"rounds\":1}\n","{\"type\":\"start\",\"variant\":\"connect-four-7x6',
    r'expanding-nim\",\"settings\":{\"stones\":100,\"resets\":4},\"position\":\"","{\"type\":\"end\",\"result\":\"win',
    r'{\"type\": \"move\", \"ply\": 1, \"move\": \"4\"}","{\"type\":\"moved\",\"ply\":1,\"seat\":0,\"move\":\"3\",',
    r'\"position\":\"","{\"type\":\"turn\",\"ply\":1,\"position\":\"","\"legal\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",',
    r'\"7\"],\"left_ms\":[4000,5000]}\n","100 1 0 0","3 0","ASSIGN_PLAYER: 0\n","REQUEST_MOVE\n","GAMESTATE: ',
    r"----------------------------------------------------------------\n------O--X----GAMEOVER: ",
    r'","@ ..........................................\n...O...@O..\n","1\n","2\n","3\n","4\n","5\n","6\n","7\n","0\n",',
    '],"ioioioioioioioioioioioioioioioioooioio",[0,0,0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9,10,10,11,11,12,12,13,13,',
    "1,1,3,3,5,5,7,7,9,9,11,11,13,13,15,15,17,17,19,19,21,21,23,23,25,25,27,27,29,29,31,31,33,33,35,35,37,37,39,39,",
    "41,41,42,2,2,4,4,6,6,8,8,10,10,12,12,14,14,16,16,18,18,20,20,22,22,24,24,26,26,28,28,30,30,32,32,34,34,36,36,38,",
    r'38,40,40,42,42],["NAME ","JOIN ","SUCCESS\n","\n","SUCCESS\n","NEW_GAME\nYOUR_MOVE\n",',
    r'"PUT 0\nYOUR_MOVE\n","PUT 1\n","PUT 1\nYOUR_MOVE\n","PUT 4\n","PUT 2\nYOUR_MOVE\n","PUT 0\n",',
    r'"PUT 3\nYOUR_MOVE\n","PUT 3\n","PUT 4\nYOUR_MOVE\n","PUT 6\n","PUT 5\nYOUR_MOVE\n","PUT 2\n",',
    r'"PUT 6\nYOUR_MOVE\n","PUT 5\n","PUT 4\n',
    r'YOU_WON\n","PUT 3\nYOU_LOST\n","PUT 6\nDRAW\n"]]',
)
NEWEST = "".join(_PARTS).encode()
# By the checksum with which a packed wire names its dictionary.
ALL = {adler32(words): words for words in (NEWEST,)}
