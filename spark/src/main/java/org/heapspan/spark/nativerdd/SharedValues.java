package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.Map;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.DoubleAccumulator;
import org.apache.spark.util.LongAccumulator;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;

/**
 * What the program had broadcast and which accumulators it had made when a stage was made. Travels with the stage.
 *
 * @param broadcasts by number
 * @param accumulators by number
 */
record SharedValues(Map<Long, SentBytes> broadcasts, Map<Long, AccumulatorV2<?, ?>> accumulators)
        implements Serializable {

    /** The value of a broadcast, to be closed. */
    NativeBatch broadcast(long number) {
        SentBytes broadcast = broadcasts.get(number);
        if (broadcast == null) {
            throw new NativeProgramException("a stage asks for the broadcast " + number
                    + ", which was destroyed, or made after the stage; make it before");
        }
        return BroadcastMemory.valueOf(broadcast);
    }

    void accumulate(long number, long bits) {
        AccumulatorV2<?, ?> accumulator = accumulators.get(number);
        if (accumulator instanceof LongAccumulator sum) {
            sum.add(bits);
        } else if (accumulator instanceof DoubleAccumulator sum) {
            sum.add(Double.longBitsToDouble(bits));
        } else {
            throw new NativeProgramException(
                    "a stage adds to the accumulator " + number + ", which was made after the stage; make it before");
        }
    }
}
