package org.heapspan.tests.conformance;

import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;

/** One way to turn a graph into bytes and back: Heapspan by each of its routes, and the peers it is compared with. */
interface Codec {

    String name();

    byte[] encode(Object root, TransientMode mode) throws Exception;

    Object decode(byte[] bytes, TransientMode mode, Trust trust, ClassLoader loader) throws Exception;

    /** A deep copy within this process. */
    default Object copy(Object root, TransientMode mode) throws Exception {
        return decode(encode(root, mode), mode, Trust.CORPUS_ALLOWED, EvolvingClasses.loader());
    }

    /** Whether refusals must name path, class and category, or need only be exceptions. */
    default boolean judgesMessages() {
        return false;
    }

    /** The category of a refusal, or nothing where the codec has no categories. */
    default String category(Throwable refusal) {
        return "";
    }

    /**
     * The codec called {@code name}. Resolved by class name, so that a process loads only what it uses and nothing
     * disturbs the identity hashes.
     */
    static Codec named(String name) throws ReflectiveOperationException {
        if (name.equals("heapspan:unchecked-objects")) {
            return new HeapspanObjectStreamCodec(false);
        }
        if (name.startsWith("heapspan:second-heap")) {
            return new SecondHeapCodec(!name.endsWith("-unchecked"));
        }
        Class<?> type = Class.forName(className(name));
        int colon = name.indexOf(':');
        return (Codec)
                (colon < 0 || name.endsWith(":objects")
                        ? type.getDeclaredConstructor().newInstance()
                        : type.getDeclaredConstructor(String.class).newInstance(name.substring(colon + 1)));
    }

    private static String className(String name) {
        String simpleName = switch (name) {
            case "java" -> "JavaSerializationCodec";
            case "kryo" -> "KryoCodec";
            case "spark-kryo" -> "SparkKryoCodec";
            case "fory" -> "ForyCodec";
            case "heapspan:objects" -> "HeapspanObjectStreamCodec";
            default -> {
                if (!name.equals("heapspan") && !name.startsWith("heapspan:")) {
                    throw new IllegalArgumentException("no codec is called " + name);
                }
                yield "HeapspanCodec";
            }
        };
        return Codec.class.getPackageName() + "." + simpleName;
    }
}
