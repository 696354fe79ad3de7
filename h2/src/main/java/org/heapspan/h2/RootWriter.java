package org.heapspan.h2;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.heapspan.GroupWriter;
import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;

/** Moves roots and writes their new states. Thread-safe; two moves of a label at a time are the caller's to prevent. */
final class RootWriter {
    /** What a move writes before it lets go of the roots that it has written. */
    private static final long MOVE_BATCH_BYTES = 16 << 20;

    final Counters counters = new Counters();
    private final Regions regions;
    private final StorageThread thread;
    private final Set<String> loggedRefusals = ConcurrentHashMap.newKeySet();

    /** What was done since the heap was opened. */
    static final class Counters {
        final LongAdder movedRoots = new LongAdder();
        final LongAdder refusedRoots = new LongAdder();
        final LongAdder appendedSequences = new LongAdder();
        final LongAdder writtenBytes = new LongAdder();
    }

    RootWriter(Regions regions, StorageThread thread) {
        this.regions = regions;
        this.thread = thread;
    }

    // ---------------------------------------------------------------- moving

    /** A root that is written or being written, of which its handle does not know yet. */
    private record Written(HandleState state, H2Handle<?> handle, Object root, int version, Residence residence) {}

    /** What a move has done so far. */
    private static final class Tally {
        long moved;
        long refused;
        long imageBytes;
    }

    /**
     * See {@link SecondHeap#move}. Roots are encoded without the lock of their handles, so that whoever updates or reads them waits for no
     * device. A root may thus be in the middle of an update when it is encoded: it counts as moved or refused only if no update has begun since
     * before, and is tagged again else.
     */
    MoveReport move(LabelSpace space) {
        List<HandleState> tagged = space.takeTagged();
        Deque<Written> written = new ArrayDeque<>();
        RegionWriter writer = new RegionWriter(regions, thread, space);
        Tally tally = new Tally();
        long committedBytes = 0;
        int next = 0;
        try {
            while (next < tagged.size()) {
                HandleState state = tagged.get(next);
                H2Handle<?> handle = state.get();
                Object root = handle == null ? null : handle.inFirstHeap();
                if (handle == null || root == null) {
                    state.untagged();
                } else {
                    int version = handle.version();
                    try {
                        Residence residence = write(space, writer, handle, root);
                        written.add(new Written(state, handle, root, version, residence));
                    } catch (RuntimeException | Error e) {
                        if (e instanceof VirtualMachineError
                                || e instanceof SecondHeapException failure && !failure.isTooLong()) {
                            throw e;
                        }
                        // A graph that changes may fail in any way (ConcurrentModificationException, for one), and
                        // so may its methods (AssertionError).
                        // Before the version is looked at: whoever updates it after that tags it again.
                        state.untagged();
                        if (handle.version() != version || handle.inFirstHeap() != root) {
                            state.tag();
                        } else {
                            refused(space, handle, root, e);
                            tally.refused++;
                        }
                    }
                }
                next++;
                if (next == tagged.size() || writer.acceptedBytes() - committedBytes >= MOVE_BATCH_BYTES) {
                    writer.flush();
                    writer.await();
                    committedBytes = writer.acceptedBytes();
                    commit(written, tally);
                }
            }
        } finally {
            // Of a move that failed: what is not committed is as before.
            writer.awaitQuietly();
            writer.close();
            takeBack(written);
            for (HandleState state : tagged.subList(next, tagged.size())) {
                tagAgain(state);
            }
            counters.movedRoots.add(tally.moved);
            counters.refusedRoots.add(tally.refused);
            counters.writtenBytes.add(committedBytes);
        }
        return new MoveReport(tally.moved, tally.refused, tally.imageBytes);
    }

    private static void tagAgain(HandleState state) {
        state.untagged();
        state.tag();
    }

    /**
     * Hands what was written over to the handles. Memory may run out at any step: a root is in the queue exactly as long as it has not been
     * handed over, so that whoever clears up afterwards releases nothing twice.
     */
    private static void commit(Deque<Written> written, Tally tally) {
        for (Written each : written) {
            each.residence.trim();
        }
        while (!written.isEmpty()) {
            Written each = written.element();
            each.state.untagged();
            long imageBytes = each.residence.storedBytes();
            if (each.handle.moved(each.root, each.version, each.residence)) {
                written.remove();
                tally.moved++;
                tally.imageBytes += imageBytes;
            } else {
                // Updated meanwhile, or closed.
                each.state.tag();
                written.remove();
                each.residence.release();
            }
        }
    }

    /** Leaves roots where they are, whatever else fails. */
    private static void takeBack(Deque<Written> written) {
        Error failure = null;
        while (!written.isEmpty()) {
            Written each = written.remove();
            try {
                tagAgain(each.state);
            } catch (Error e) {
                failure = e;
            }
            try {
                each.residence.release();
            } catch (Error e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Writes a root.
     *
     * @throws SecondHeapException if it could not be written
     * @throws RuntimeException or an error, if it could not be encoded for any other reason
     */
    private Residence write(LabelSpace space, RegionWriter writer, H2Handle<?> handle, Object root) {
        Residence residence = new Residence(regions, space, handle.codec());
        boolean complete = false;
        try {
            GroupSink sink = new GroupSink(residence.codec(), writer, residence);
            handle.write(root, sink);
            sink.close();
            complete = true;
            return residence;
        } finally {
            if (!complete) {
                residence.abandon();
            }
        }
    }

    private void refused(LabelSpace space, H2Handle<?> handle, Object root, Throwable failure) {
        space.refused();
        FlightRecording.fallback(handle.label(), Fallback.ROOT, 1, failure);
        String name = root.getClass().getName();
        if (loggedRefusals.add(name)) {
            System.getLogger("org.heapspan")
                    .log(
                            System.Logger.Level.WARNING,
                            "a root of " + handle.label() + ", a " + name
                                    + ", stays on the Java heap; further roots of this class are not logged: "
                                    + (failure instanceof HeapspanException ? failure.getMessage() : failure));
        }
    }

    /**
     * Writes an object that roots share.
     *
     * @throws HeapspanException if it cannot be encoded or written
     */
    Residence store(LabelSpace space, ElementCodec codec, Object object) {
        RegionWriter writer = new RegionWriter(regions, thread, space);
        Residence residence = new Residence(regions, space, codec);
        boolean complete = false;
        try {
            GroupSink sink = new GroupSink(codec, writer, residence);
            sink.add(object);
            sink.endGroup();
            sink.close();
            complete = true;
        } finally {
            if (!complete) {
                writer.close();
                residence.abandon();
            }
        }
        return finished(writer, residence);
    }

    // ---------------------------------------------------------------- updates

    /** Writes the new state of a root; null if it has to stay on the Java heap. */
    @Nullable
    Residence storeOrNull(H2Handle<?> handle, Object root) {
        LabelSpace space = handle.state().space();
        RegionWriter writer = new RegionWriter(regions, thread, space);
        boolean complete = false;
        try {
            Residence written = finished(writer, write(space, writer, handle, root));
            complete = true;
            return written;
        } catch (SecondHeapException e) {
            // The handle keeps the root; the next move says what is wrong.
            FlightRecording.fallback(handle.label(), Fallback.UPDATE, 1, e);
            return null;
        } catch (RuntimeException e) {
            refused(space, handle, root, e);
            return null;
        } finally {
            if (!complete) {
                writer.close();
            }
        }
    }

    /**
     * Replaces a piece by one with other elements.
     *
     * @throws HeapspanException as {@link H2Sequence#updateElement}
     */
    Residence replacePiece(Residence residence, int piece, List<?> elements) {
        RegionWriter writer = new RegionWriter(regions, thread, residence.space());
        Residence single = new Residence(regions, residence.space(), residence.codec());
        ElementCodec codec = residence.codec();
        GroupWriter group = codec.takeWriter(regions.mostPieceBytes());
        boolean complete = false;
        try {
            for (Object element : elements) {
                codec.write(group, element, single, regions.mostPieceBytes());
            }
            writer.add(group.finishInPlace(), elements.size(), single);
            complete = true;
        } finally {
            if (!complete) {
                writer.close();
                single.abandon();
            }
        }
        codec.giveBack(group, writer.acceptedBytes());
        finished(writer, single);
        return residence.with(piece, single);
    }

    /**
     * Writes all pieces anew.
     *
     * @param elementsOfPiece gives what is to be in place of each piece
     * @throws HeapspanException as {@link H2Sequence#updateElements}
     */
    Residence rewrite(Residence residence, IntFunction<List<?>> elementsOfPiece) {
        RegionWriter writer = new RegionWriter(regions, thread, residence.space());
        Residence next = new Residence(regions, residence.space(), residence.codec());
        boolean complete = false;
        try {
            GroupSink sink = new GroupSink(next.codec(), writer, next);
            for (int piece = 0; piece < residence.pieceCount(); piece++) {
                elementsOfPiece.apply(piece).forEach(sink::add);
            }
            sink.endGroup();
            sink.close();
            complete = true;
        } finally {
            if (!complete) {
                writer.awaitQuietly();
                writer.close();
                next.abandon();
            }
        }
        return finished(writer, next);
    }

    /** Waits until all is written; or takes it away again. */
    private Residence finished(RegionWriter writer, Residence residence) {
        boolean complete = false;
        try {
            writer.flush();
            writer.await();
            residence.trim();
            complete = true;
        } finally {
            if (!complete) {
                writer.awaitQuietly();
                writer.close();
                residence.abandon();
            }
        }
        counters.writtenBytes.add(residence.imageBytes());
        return residence;
    }
}
