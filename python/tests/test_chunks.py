import os
import stat
import tempfile
import unittest
import unittest.mock

from heapspan import chunks

ID = bytes(range(16))
CHUNK_BYTES = 8_192


@unittest.skipUnless(os.path.exists(chunks._BOOT_ID), "does not apply: only Linux has the id of a boot")
class ChunkFilesTest(unittest.TestCase):
    def setUp(self):
        base = tempfile.TemporaryDirectory()
        self.addCleanup(base.cleanup)
        self.folder = os.path.join(base.name, "heapspan-exchange-" + ID.hex())
        os.mkdir(self.folder, 0o700)
        with open(chunks._BOOT_ID) as boot:
            self.system = boot.read().strip()
        self.write("server", f"{ID.hex()}\n{self.system}\n17 1764158400000\n".encode())
        for chunk in (5, 6):
            self.write(f"chunk-{chunk:016x}", bytes([chunk]) * CHUNK_BYTES)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content, mode=0o600):
        with open(self.path(name), "wb") as file:
            file.write(content)
        os.chmod(self.path(name), mode)

    def reachable(self, folder=None, server_id=ID, chunk_bytes=CHUNK_BYTES):
        found = chunks.reachable(self.folder if folder is None else folder, server_id, chunk_bytes)
        if found is not None:
            self.addCleanup(found.close)
        return found

    def test_a_folder_of_a_server_is_used(self):
        self.assertIsNotNone(self.reachable())

    def test_a_folder_of_another_user_is_not_used(self):
        with unittest.mock.patch("os.geteuid", lambda: os.getuid() + 1):
            self.assertIsNone(self.reachable())

    def test_other_folders_are_not_used(self):
        before = len(os.listdir("/proc/self/fd"))
        other = bytes(16)
        link = os.path.join(os.path.dirname(self.folder), "link", os.path.basename(self.folder))
        os.mkdir(os.path.dirname(link))
        os.symlink(self.folder, link)
        renamed = os.path.join(os.path.dirname(self.folder), "heapspan-exchange-" + other.hex())
        for folder in (link, self.folder + "x", os.path.relpath(self.folder), "", "/nowhere/" + os.path.basename(link), "\0"):
            self.assertIsNone(self.reachable(folder), folder)
        self.assertIsNone(self.reachable(server_id=other))
        os.symlink(self.folder, renamed)
        self.assertIsNone(self.reachable(renamed, other))
        for length in (0, -8_192, 12_288, 2_048, 1 << 31):
            self.assertIsNone(self.reachable(chunk_bytes=length), length)
        for bit in (stat.S_IRGRP, stat.S_IWGRP, stat.S_IROTH, stat.S_IWOTH):
            os.chmod(self.folder, 0o700 | bit)
            self.assertIsNone(self.reachable(), oct(bit))
        os.chmod(self.folder, 0o700)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before, "descriptors are left open")
        self.assertIsNotNone(self.reachable())

    def test_other_server_files_are_not_believed(self):
        right = f"{ID.hex()}\n{self.system}\n17 1\n"
        for wrong in (
            right.replace(ID.hex(), bytes(16).hex()),
            right.replace(self.system, "another system"),
            right + "more\n",
            right.replace("17 1\n", ""),
            right.replace("17 1", "1" * 300),
            "",
        ):
            self.write("server", wrong.encode())
            self.assertIsNone(self.reachable(), wrong)
        for mode in (0o640, 0o620, 0o604, 0o602):
            self.write("server", right.encode(), mode)
            self.assertIsNone(self.reachable(), oct(mode))
        self.write("server", right.encode())
        os.rename(self.path("server"), self.path("other"))
        self.assertIsNone(self.reachable())
        os.symlink("other", self.path("server"))
        self.assertIsNone(self.reachable())
        os.remove(self.path("server"))
        os.mkfifo(self.path("server"), 0o600)
        self.assertIsNone(self.reachable())

    def test_groups_are_read_and_written_across_chunks(self):
        files = self.reachable()
        self.assertEqual(bytes(files.read(5 * CHUNK_BYTES + 4_096, 3)), b"\5\5\5")
        files.write(5 * CHUNK_BYTES + 8_190, memoryview(b"abcd"))
        self.assertEqual(bytes(files.read(5 * CHUNK_BYTES + 8_189, 6)), b"\5abcd\6")
        self.assertEqual(os.stat(self.path(f"chunk-{5:016x}")).st_size, CHUNK_BYTES)
        with self.assertRaises(TypeError):
            files.read(5 * CHUNK_BYTES, 1)[0] = 1

    def test_a_system_may_write_less_than_it_is_asked_to(self):
        files, write = self.reachable(), os.pwrite
        with unittest.mock.patch("os.pwrite", lambda file, content, offset: write(file, content[:3], offset)):
            files.write(5 * CHUNK_BYTES, b"abcdefgh")
        self.assertEqual(bytes(files.read(5 * CHUNK_BYTES, 9)), b"abcdefgh\5")

    def test_files_that_a_server_does_not_make_are_not_used(self):
        files = self.reachable()
        name = f"chunk-{7:016x}"

        def fails():
            for call in (lambda: files.read(7 * CHUNK_BYTES, 1), lambda: files.write(7 * CHUNK_BYTES, b"x")):
                with self.assertRaises(OSError):
                    call()

        fails()
        self.write(name, bytes(CHUNK_BYTES - 1))
        fails()
        self.write(name, bytes(CHUNK_BYTES), 0o644)
        fails()
        os.remove(self.path(name))
        os.symlink(f"chunk-{6:016x}", self.path(name))
        fails()
        os.remove(self.path(name))
        os.mkdir(self.path(name), 0o700)
        fails()

    def test_chunks_that_are_gone_are_forgotten(self):
        files = self.reachable()
        kept = files.read(5 * CHUNK_BYTES, 2)
        os.remove(self.path(f"chunk-{5:016x}"))
        files.read(6 * CHUNK_BYTES, 2)
        self.assertEqual(list(files._maps), [6])
        self.assertEqual(bytes(kept), b"\5\5")

    def test_some_checksums_are_remembered(self):
        files = self.reachable()
        for address in range(10_001):
            self.assertFalse(files.is_compared(address))
            files.set_compared(address)
        self.assertFalse(files.is_compared(0))
        self.assertTrue(files.is_compared(1) and files.is_compared(10_000))


if __name__ == "__main__":
    unittest.main()
