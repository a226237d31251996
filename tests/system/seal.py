"""libsodium's crypto_secretstream_xchacha20poly1305, by ctypes."""

import ctypes
import ctypes.util

SIZE = 17               # how much longer a seal makes a message
HEADER_SIZE = 24
NAME = "crypto_secretstream_xchacha20poly1305_"

library = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
assert library.sodium_init() >= 0


def call(name, *args):
    return getattr(library, NAME + name)(*args)


def sized(data):
    """A pointer and a length, as two arguments."""
    return data, ctypes.c_ulonglong(len(data))


class Stream:
    def __init__(self):
        self.state = ctypes.create_string_buffer(call("statebytes"))


class Outgoing(Stream):
    """The end that seals; self.stream is the header of the stream."""

    def __init__(self, key):
        super().__init__()
        header = ctypes.create_string_buffer(HEADER_SIZE)
        assert call("init_push", self.state, header, key) == 0
        self.stream = header.raw

    def seal(self, message, additional):
        out = ctypes.create_string_buffer(len(message) + SIZE)
        assert call("push", self.state, out, None, *sized(message),
                    *sized(additional), ctypes.c_ubyte(0)) == 0
        return out.raw


class Incoming(Stream):
    """The end that opens what has STREAM in front."""

    def __init__(self, key, stream):
        super().__init__()
        assert call("init_pull", self.state, stream, key) == 0

    def open(self, data, additional):
        """The message; ValueError if DATA is not the next one."""
        out = ctypes.create_string_buffer(max(len(data) - SIZE, 1))
        tag = ctypes.c_ubyte()
        if len(data) < SIZE or call("pull", self.state, out, None,
                                    ctypes.byref(tag), *sized(data),
                                    *sized(additional)):
            raise ValueError("the seal is broken")
        assert tag.value == 0
        return out.raw[:len(data) - SIZE]
