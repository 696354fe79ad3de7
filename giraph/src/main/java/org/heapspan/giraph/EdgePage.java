package org.heapspan.giraph;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import org.heapspan.h2.H2Handle;
import org.heapspan.h2.Label;
import org.jspecify.annotations.Nullable;

/**
 * Edges of many vertices as bytes. A page is filled on the Java heap, then tagged as a root of the second heap. A vertex reads its edges from
 * the bytes of the whole page, which the next vertex finds decoded: Giraph visits the vertices of a partition always in the same order.
 *
 * <p>Thread-safe. Nobody changes the bytes of a page.
 */
final class EdgePage {
    private static final byte[] NONE = {};

    private final boolean provisional;

    // Guarded by this.
    private byte[] open;
    private @Nullable H2Handle<byte[]> handle;

    /** The bytes that were decoded last, until the next collection. */
    private WeakReference<byte[]> decoded = new WeakReference<>(null);

    private int usedBytes;
    private int liveBytes;

    /**
     * Creates an empty page.
     *
     * @param provisional whether its edges are to be moved to another page when they are used
     */
    EdgePage(int sizeBytes, boolean provisional) {
        this.provisional = provisional;
        open = new byte[sizeBytes];
    }

    /** Whether there is room for more bytes. */
    synchronized boolean hasRoom(int length) {
        return handle == null && usedBytes + length <= open.length;
    }

    /** Takes bytes over, for which there is room. */
    synchronized EdgePlace add(byte[] bytes, int from, int length) {
        int offset = usedBytes;
        System.arraycopy(bytes, from, open, offset, length);
        usedBytes += length;
        liveBytes += length;
        return new EdgePlace(this, offset);
    }

    /** Ends filling, and tags the page, unless that has been done. */
    synchronized void seal(WorkerHeap heap, Label label) {
        if (liveBytes > 0 && handle == null) {
            handle = heap.tag(usedBytes == open.length ? open : Arrays.copyOf(open, usedBytes), label);
        }
        open = NONE;
    }

    /** All bytes of the page, not to be changed. */
    synchronized byte[] bytes() {
        H2Handle<byte[]> sealed = handle;
        if (sealed == null) {
            return open;
        }
        byte[] bytes = decoded.get();
        if (bytes == null) {
            bytes = sealed.get();
            if (sealed.isMoved()) {
                decoded = new WeakReference<>(bytes);
            }
        }
        return bytes;
    }

    /** The edges of a vertex are not needed any more. With the last ones the page is freed. */
    synchronized void release(int length) {
        liveBytes -= length;
        if (liveBytes == 0 && handle != null) {
            handle.close();
        }
    }

    /** Whether edges should move to another page: for good, or because most of this one is dead. */
    synchronized boolean isToBeLeft(boolean loading) {
        return !loading && (provisional || (handle != null && liveBytes < usedBytes / 4));
    }
}
