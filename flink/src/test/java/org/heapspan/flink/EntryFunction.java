package org.heapspan.flink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.heapspan.testing.GeneratedClass;

/** Counts the records of each key in an object of a class of which there are versions. */
final class EntryFunction extends KeyedProcessFunction<String, String, Long> {
    private static final Map<String, Long> COUNTS = new ConcurrentHashMap<>();
    private static final Map<String, Long> FIRST_COUNTS = new ConcurrentHashMap<>();

    private final HeapspanTypeInformation<Object> information;
    private transient ValueState<Object> state;

    EntryFunction(HeapspanTypeInformation<Object> information) {
        this.information = information;
    }

    static void begin() {
        COUNTS.clear();
        FIRST_COUNTS.clear();
    }

    /** The latest count of each key. */
    static Map<String, Long> counts() {
        return COUNTS;
    }

    /** The count of each key after its first record. */
    static Map<String, Long> firstCounts() {
        return FIRST_COUNTS;
    }

    @Override
    public void open(OpenContext context) {
        state = getRuntimeContext().getState(new ValueStateDescriptor<>("entry", information));
    }

    @Override
    public void processElement(String key, Context context, Collector<Long> output) throws Exception {
        Object entry = state.value();
        if (entry == null) {
            entry = information.getTypeClass().getConstructor().newInstance();
        }
        long count = ((Number) GeneratedClass.get(entry, "count")).longValue() + 1;
        GeneratedClass.set(entry, "count", count);
        state.update(entry);
        COUNTS.put(key, count);
        FIRST_COUNTS.putIfAbsent(key, count);
    }
}
