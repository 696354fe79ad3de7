"""The files of a server on this host (docs/formats/exchange-protocol.md): groups are read and written there, without the connection."""

import mmap
import os
import stat

_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_SERVER_FILE = "server"
_SERVER_FILE_LINES = 3
_MOST_SERVER_FILE_BYTES = 256
_LEAST_CHUNK_BYTES, _MOST_CHUNK_BYTES = 4_096, 1 << 30
_MOST_COMPARED = 10_000
# From here on are groups for which the memory of the server had no room. Their files are in a second folder.
_FIRST_OVERFLOW_ADDRESS = 1 << 62
_OF_OTHERS = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH


def reachable(directory, server_id, chunk_bytes):
    """The files of a server, or None if they are not within reach.

    The server may lie. So nothing is used but plain files of the user of this process, in a folder of this user with the
    name and the contents that a server makes, on the same running system.
    """
    if os.path.basename(directory) != "heapspan-exchange-" + server_id.hex() or not os.path.isabs(directory):
        return None
    if chunk_bytes & chunk_bytes - 1 or not _LEAST_CHUNK_BYTES <= chunk_bytes <= _MOST_CHUNK_BYTES:
        return None
    try:
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (AttributeError, OSError, ValueError):
        # Another system, or another host.
        return None
    chunks = ChunkFiles(folder, chunk_bytes)
    try:
        if _is_own(os.fstat(folder)) and chunks.is_of(server_id):
            return chunks
    except (OSError, ValueError):
        pass
    chunks.close()
    return None


def _is_own(status):
    return status.st_uid == os.geteuid() and not status.st_mode & _OF_OTHERS


class ChunkFiles:
    """For one thread at a time."""

    def __init__(self, folder, chunk_bytes):
        self._folder = folder
        self._chunk_bytes = chunk_bytes
        self._maps = {}
        # Addresses of groups whose checksum was compared: groups do not change, and no address is used twice.
        self._compared = {}

    def close(self):
        # The mappings end when nobody uses them any more.
        self._maps.clear()
        os.close(self._folder)

    def is_of(self, server_id):
        file = self._open(_SERVER_FILE, os.O_RDONLY)
        try:
            content = os.read(file, _MOST_SERVER_FILE_BYTES + 1)
        finally:
            os.close(file)
        with open(_BOOT_ID, "rb") as boot:
            system = boot.read(_MOST_SERVER_FILE_BYTES).strip()
        lines = content.splitlines()
        return (
            len(content) <= _MOST_SERVER_FILE_BYTES
            and len(lines) == _SERVER_FILE_LINES
            and lines[0] == server_id.hex().encode("ascii")
            and lines[1] == system
        )

    def _open(self, name, access):
        file = os.open(name, access | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=self._folder)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or not _is_own(status):
                raise OSError(f"the file {name} is no file of this user alone")
            return file
        except BaseException:
            os.close(file)
            raise

    def _open_chunk(self, chunk, access):
        file = self._open(f"chunk-{chunk:016x}", access)
        size = os.fstat(file).st_size
        if size != self._chunk_bytes:
            os.close(file)
            raise OSError(f"the file of chunk {chunk} has {size} bytes, expected {self._chunk_bytes}")
        return file

    @staticmethod
    def has(address):
        """Whether the file of an address is in this folder. What is in the second folder goes through the connection."""
        return address < _FIRST_OVERFLOW_ADDRESS

    def _pieces(self, address, size):
        """Chunk, offset and length of each part of a range."""
        while size > 0:
            chunk, offset = divmod(address, self._chunk_bytes)
            length = min(size, self._chunk_bytes - offset)
            yield chunk, offset, length
            address += length
            size -= length

    def _mapped(self, chunk):
        found = self._maps.get(chunk)
        if found is None:
            self._forget_dropped()
            file = self._open_chunk(chunk, os.O_RDONLY)
            try:
                found = self._maps[chunk] = mmap.mmap(file, self._chunk_bytes, prot=mmap.PROT_READ)
            finally:
                os.close(file)
        return found

    def _forget_dropped(self):
        names = set(os.listdir(self._folder))
        for chunk in [each for each in self._maps if f"chunk-{each:016x}" not in names]:
            del self._maps[chunk]

    def read(self, address, size):
        """The bytes of a group that is leased. They may change when the lease ends. Fails with an OSError."""
        pieces = [
            memoryview(self._mapped(chunk))[offset : offset + length] for chunk, offset, length in self._pieces(address, size)
        ]
        return pieces[0] if len(pieces) == 1 else memoryview(b"".join(pieces))

    def write(self, address, content):
        """Writes a group that this client has reserved. Not through a mapping: if memory is full, a write fails, and an access is a signal."""
        at = 0
        for chunk, offset, length in self._pieces(address, len(content)):
            file = self._open_chunk(chunk, os.O_WRONLY)
            try:
                end = at + length
                while at < end:
                    written = os.pwrite(file, content[at:end], offset)
                    at += written
                    offset += written
            finally:
                os.close(file)

    def is_compared(self, address):
        """Whether the checksum of a group was compared before."""
        return address in self._compared

    def set_compared(self, address):
        if len(self._compared) >= _MOST_COMPARED:
            del self._compared[next(iter(self._compared))]
        self._compared[address] = True
