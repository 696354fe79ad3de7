package org.heapspan.image.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads a raw group with both engines, record by record, and compares what they make of it. */
final class VerifyingGroupReader extends RecordGroupReader {
    private final ImageEngine engine;
    private final Verification verification;
    private final byte[] group;
    private final int offset;
    private final int length;
    private final RecordGroupReader portable;

    /** Who reads on. */
    private enum State {
        BOTH,
        /** Nothing can be concluded about the records of this group; to try with each would take quadratic time. */
        DIRECT,
        /** The direct engine has failed; it may not even know where the next record begins. */
        PORTABLE
    }

    private State state = State.BOTH;

    VerifyingGroupReader(ImageEngine engine, Verification verification, byte[] group, int offset, int length) {
        super(engine.newTrustingReader(), null, true, group, offset, length);
        this.engine = engine;
        this.verification = verification;
        this.group = group;
        this.offset = offset;
        this.length = length;
        portable = newPortable();
    }

    private RecordGroupReader newPortable() {
        return new RecordGroupReader(engine.newPortableReader(), null, false, group, offset, length);
    }

    @Override
    public boolean hasNext() {
        return state == State.PORTABLE ? portable.hasNext() : super.hasNext();
    }

    @Override
    public @Nullable Object next() {
        return switch (state) {
            case BOTH -> nextOfBoth();
            case DIRECT -> super.next();
            case PORTABLE -> portable.next();
        };
    }

    @Override
    public @Nullable Object[] readAll() {
        List<@Nullable Object> records = new ArrayList<>();
        while (hasNext()) {
            records.add(next());
        }
        return records.toArray();
    }

    private @Nullable Object nextOfBoth() {
        int record = portable.recordCount();
        if (!hasNext()) {
            return super.next();
        }
        Verification.Result direct = Verification.Result.of(super::next);
        Supplier<@Nullable Object> again = () -> {
            RecordGroupReader other = newPortable();
            while (other.recordCount() < record) {
                other.next();
            }
            return other.next();
        };
        Verification.Outcome outcome = verification.compared(
                direct, portable::next, again, () -> Arrays.copyOfRange(group, offset, offset + length));
        if (outcome.verdict() == Verification.Verdict.DIFFERENT) {
            state = State.PORTABLE;
        } else if (outcome.verdict() == Verification.Verdict.INCONCLUSIVE) {
            state = direct.failure() == null && outcome.result().failure() == null ? State.DIRECT : State.PORTABLE;
        }
        return outcome.result().orFailure();
    }
}
