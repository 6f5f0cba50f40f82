"""QR codes of addresses (ISO/IEC 18004): bytes, error correction M, versions 1 to 6, always with the first mask.

That is all that an address of a room needs: up to 106 bytes. Every reader takes any mask, so none is chosen. Written
here because it is a page of arithmetic, and a library would be one more dependency of every installation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

# By version, from 1: the number of codewords, and for error correction M the blocks and the correction codewords of
# each.
_CODEWORDS = (26, 44, 70, 100, 134, 172)
_BLOCKS = (1, 1, 1, 2, 2, 4)
_CORRECTING = (10, 16, 26, 18, 24, 16)
# Error correction M with the first mask, as the standard encodes both.
_FORMAT = 0b101010000010010
_QUIET = 4

Matrix = list[list[bool]]


def svg(text: str) -> SafeString:
    """The code as a picture, black on white in every theme; "" if the text is too long for one."""
    try:
        modules = matrix(text)
    except ValueError:
        return SafeString()
    side = len(modules) + 2 * _QUIET
    path = "".join(
        f"M{x + _QUIET} {y + _QUIET}h1v1h-1z" for y, row in enumerate(modules) for x, dark in enumerate(row) if dark
    )
    return mark_safe(
        f'<svg class="qr" viewBox="0 0 {side} {side}" role="img" aria-label="{gettext("QR code of the link")}" '
        'shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{side}v{side}H0z"/><path fill="#000" d="{path}"/></svg>'
    )


def matrix(text: str) -> Matrix:
    """The rows of the code, True for dark, without the quiet zone. Raises ValueError for more than 106 bytes."""
    data = text.encode()
    version = next((v for v in range(1, 7) if len(data) + 2 <= _data_codewords(v)), 0)
    if not version:
        raise ValueError(f"{len(data)} bytes: expected at most {_data_codewords(6) - 2}")
    size = 17 + 4 * version
    fixed = _patterns(version, size)
    modules = fixed | _masked(fixed, size, _bits(_codewords(version, data)))
    return [[modules[x, y] for x in range(size)] for y in range(size)]


# -- the codewords -----------------------------------------------------------------------------------------------------


def _data_codewords(version: int) -> int:
    return _CODEWORDS[version - 1] - _BLOCKS[version - 1] * _CORRECTING[version - 1]


def _codewords(version: int, data: bytes) -> bytes:
    """Mode, length, data and padding in blocks, each with its correction, interleaved."""
    room, blocks = _data_codewords(version), _BLOCKS[version - 1]
    said = (int.from_bytes(bytes([len(data)]) + data) | 4 << 8 * (len(data) + 1)) << 4
    whole = said.to_bytes(len(data) + 2)
    whole += (b"\xec\x11" * room)[: room - len(whole)]
    parts = [whole[n * room // blocks : (n + 1) * room // blocks] for n in range(blocks)]
    corrections = [_correction(part, _CORRECTING[version - 1]) for part in parts]
    return bytes(each for columns in (parts, corrections) for column in zip(*columns, strict=True) for each in column)


def _correction(block: bytes, degree: int) -> bytes:
    """The remainder of the block by the Reed-Solomon generator of this degree."""
    generator = [1]
    for power in range(degree):
        root = _power(power)
        shifted = [*generator, 0]
        generator = [a ^ _times(b, root) for a, b in zip(shifted, [0, *generator], strict=True)]
    rest = [0] * degree
    for byte in block:
        factor = byte ^ rest[0]
        rest = [a ^ _times(b, factor) for a, b in zip([*rest[1:], 0], generator[1:], strict=True)]
    return bytes(rest)


def _times(a: int, b: int) -> int:
    """The product in the field of 256 elements with the polynomial 0x11D."""
    product = 0
    for bit in range(7, -1, -1):
        product = (product << 1) ^ (0x11D if product & 0x80 else 0)
        product ^= a if b >> bit & 1 else 0
    return product


def _power(exponent: int) -> int:
    value = 1
    for _ in range(exponent):
        value = _times(value, 2)
    return value


def _bits(codewords: bytes) -> Iterator[bool]:
    return (bool(byte >> bit & 1) for byte in codewords for bit in range(7, -1, -1))


# -- the picture -------------------------------------------------------------------------------------------------------


def _patterns(version: int, size: int) -> dict[tuple[int, int], bool]:
    """Everything that is not data: finders with their margins, timing, alignment, format."""
    fixed = {(6, n): n % 2 == 0 for n in range(size)} | {(n, 6): n % 2 == 0 for n in range(size)}
    if version > 1:
        fixed |= _square(size - 7, size - 7, 2, lambda ring: ring != 1)
    for x, y in ((3, 3), (size - 4, 3), (3, size - 4)):
        finder = _square(x, y, 4, lambda ring: ring not in (2, 4))
        fixed |= {at: dark for at, dark in finder.items() if max(at) < size and min(at) >= 0}
    for bit in range(15):
        dark = bool(_FORMAT >> bit & 1)
        fixed[_near(bit)] = fixed[(size - 1 - bit, 8) if bit < 8 else (8, size - 15 + bit)] = dark
    fixed[8, size - 8] = True
    return fixed


def _near(bit: int) -> tuple[int, int]:
    """The place of a bit of the format around the finder in the corner; the timing lines are left out."""
    if bit < 8:
        return 8, bit + (bit > 5)
    return (7, 8) if bit == 8 else (14 - bit, 8)


def _square(x: int, y: int, reach: int, is_dark: Callable[[int], bool]) -> dict[tuple[int, int], bool]:
    around = range(-reach, reach + 1)
    return {(x + dx, y + dy): is_dark(max(abs(dx), abs(dy))) for dx in around for dy in around}


def _masked(fixed: dict[tuple[int, int], bool], size: int, bits: Iterator[bool]) -> dict[tuple[int, int], bool]:
    """The data, two columns at a time from the right, up and down by turns; the rest is light."""
    data = {}
    columns = [right - (right <= 6) for right in range(size - 1, 0, -2)]
    for turn, right in enumerate(columns):
        for y in range(size) if turn % 2 else range(size - 1, -1, -1):
            for x in (right, right - 1):
                if (x, y) not in fixed:
                    data[x, y] = next(bits, False) ^ ((x + y) % 2 == 0)
    return data
