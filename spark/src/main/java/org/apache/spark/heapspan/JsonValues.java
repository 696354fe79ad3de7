package org.apache.spark.heapspan;

import java.util.List;
import java.util.Map;
import org.json4s.JArray;
import org.json4s.JBool;
import org.json4s.JDouble;
import org.json4s.JLong;
import org.json4s.JNull$;
import org.json4s.JObject;
import org.json4s.JString;
import org.json4s.JValue;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.immutable.Nil$;

/** Makes of Java's values those that Spark's pages answer with. */
final class JsonValues {
    private JsonValues() {}

    static JValue of(@Nullable Object value) {
        if (value == null) {
            return JNull$.MODULE$;
        }
        if (value instanceof Map<?, ?> map) {
            return object(map);
        }
        if (value instanceof List<?> list) {
            return array(list);
        }
        if (value instanceof Double number) {
            return new JDouble(number);
        }
        if (value instanceof Number number) {
            return new JLong(number.longValue());
        }
        if (value instanceof Boolean answer) {
            return new JBool(answer);
        }
        return new JString(value.toString());
    }

    private static JValue object(Map<?, ?> map) {
        scala.collection.immutable.List<Tuple2<String, JValue>> fields = empty();
        List<? extends Map.Entry<?, ?>> entries = List.copyOf(map.entrySet());
        for (int i = entries.size() - 1; i >= 0; i--) {
            fields = fields.$colon$colon(new Tuple2<>(
                    entries.get(i).getKey().toString(), of(entries.get(i).getValue())));
        }
        return new JObject(fields);
    }

    private static JValue array(List<?> list) {
        scala.collection.immutable.List<JValue> elements = empty();
        for (int i = list.size() - 1; i >= 0; i--) {
            elements = elements.$colon$colon(of(list.get(i)));
        }
        return new JArray(elements);
    }

    @SuppressWarnings("unchecked") // An empty list is one of anything.
    private static <T> scala.collection.immutable.List<T> empty() {
        return (scala.collection.immutable.List<T>) (Object) Nil$.MODULE$;
    }
}
