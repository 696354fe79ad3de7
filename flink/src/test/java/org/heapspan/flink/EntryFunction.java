package org.heapspan.flink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.heapspan.testing.GeneratedClass;

/** Counts the records of each key in objects of a class of which there are versions: in a value, a list, a map that expires, and a field of a tuple. */
final class EntryFunction extends KeyedProcessFunction<String, String, Long> {
    private static final Map<String, Long> COUNTS = new ConcurrentHashMap<>();
    private static final Map<String, List<List<Long>>> FOUND = new ConcurrentHashMap<>();

    private final TypeInformation<Object> information;
    private transient ValueState<Object> value;
    private transient ListState<Object> list;
    private transient MapState<String, Object> map;
    private transient ValueState<Tuple2<String, Object>> tuple;

    EntryFunction(TypeInformation<Object> information) {
        this.information = information;
    }

    static void begin() {
        COUNTS.clear();
        FOUND.clear();
    }

    /** The latest count of each key. */
    static Map<String, Long> counts() {
        return COUNTS;
    }

    /** The counts of each key before its first record: in the value, in the list, in the map, and in the tuple. */
    static Map<String, List<List<Long>>> found() {
        return FOUND;
    }

    @Override
    public void open(OpenContext context) {
        value = getRuntimeContext().getState(new ValueStateDescriptor<>("value", information));
        list = getRuntimeContext().getListState(new ListStateDescriptor<>("list", information));
        MapStateDescriptor<String, Object> expiring = new MapStateDescriptor<>("map", Types.STRING, information);
        expiring.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
        map = getRuntimeContext().getMapState(expiring);
        tuple = getRuntimeContext()
                .getState(new ValueStateDescriptor<>("tuple", new TupleTypeInfo<>(Types.STRING, information)));
    }

    @Override
    public void processElement(String key, Context context, Collector<Long> output) throws Exception {
        if (!FOUND.containsKey(key)) {
            FOUND.put(key, countsOf(key));
        }
        Object latest = value.value();
        long count = latest == null ? 1 : countOf(latest) + 1;
        Object entry = information.getTypeClass().getConstructor().newInstance();
        GeneratedClass.set(entry, "count", count);
        value.update(entry);
        list.add(entry);
        map.put("after " + count, entry);
        tuple.update(Tuple2.of(key, entry));
        COUNTS.put(key, count);
    }

    private List<List<Long>> countsOf(String key) throws Exception {
        List<Long> ofValue = new ArrayList<>();
        if (value.value() != null) {
            ofValue.add(countOf(value.value()));
        }
        List<Long> ofList = new ArrayList<>();
        for (Object entry : list.get()) {
            ofList.add(countOf(entry));
        }
        List<Long> ofMap = new ArrayList<>();
        while (map.contains("after " + (ofMap.size() + 1))) {
            ofMap.add(countOf(map.get("after " + (ofMap.size() + 1))));
        }
        List<Long> ofTuple = new ArrayList<>();
        if (tuple.value() != null && tuple.value().f0.equals(key)) {
            ofTuple.add(countOf(tuple.value().f1));
        }
        return List.of(ofValue, ofList, ofMap, ofTuple);
    }

    private static long countOf(Object entry) throws ReflectiveOperationException {
        return ((Number) GeneratedClass.get(entry, "count")).longValue();
    }
}
