package org.heapspan.exchange.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.TypeRegistry;

/** Types in messages: a count, then for each the name of its scope, the length of its description, and the description. */
public final class TypeDescriptions {
    /** The longest description that an image can have, with the field of its length. */
    public static final int MOST_DESCRIPTION_BYTES = (1 << 16) + 1;

    /** So many bytes of types fit into a message, with something to spare for the last of them. */
    private static final int FULL_BYTES = 128 << 10;

    /** As many bytes of types are in an entry of the log of servers that replicate them, which is shorter than a message. */
    private static final int FULL_ENTRY_BYTES = 32 << 10;

    private static final int LEAST_BYTES = 6;

    private TypeDescriptions() {}

    /** Whether a message carries the type. */
    public static boolean fits(TypeRegistry.Type type) {
        return type.description().length <= MOST_DESCRIPTION_BYTES
                && type.loaderScope().getBytes(StandardCharsets.UTF_8).length <= BodyReader.MOST_TEXT_BYTES;
    }

    /** How many of the types, from the first on, one message carries. */
    public static int fitting(List<TypeRegistry.Type> types) {
        return fitting(types, FULL_BYTES);
    }

    /** How many of the types, from the first on, one entry of a log has. */
    public static int fittingEntry(List<TypeRegistry.Type> types) {
        return fitting(types, FULL_ENTRY_BYTES);
    }

    private static int fitting(List<TypeRegistry.Type> types, int fullBytes) {
        int bytes = 0;
        int count = 0;
        while (count < types.size() && bytes < fullBytes) {
            TypeRegistry.Type type = types.get(count);
            bytes += LEAST_BYTES + 3 * type.loaderScope().length() + type.description().length;
            count++;
        }
        return count;
    }

    static void writeAll(BodyWriter body, List<TypeRegistry.Type> types) {
        body.number(types.size());
        for (TypeRegistry.Type type : types) {
            body.text(type.loaderScope());
            body.number(type.description().length);
            body.bytes(type.description());
        }
    }

    static List<TypeRegistry.Type> readAll(BodyReader body) throws MalformedFrameException {
        int count = body.count(LEAST_BYTES);
        List<TypeRegistry.Type> types = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String scope = body.text();
            int length = body.count(1);
            if (length == 0 || length > MOST_DESCRIPTION_BYTES) {
                throw new MalformedFrameException(
                        "the description of a type has " + length + " bytes, expected 1 to " + MOST_DESCRIPTION_BYTES);
            }
            types.add(new TypeRegistry.Type(scope, body.bytes(length)));
        }
        return types;
    }
}
