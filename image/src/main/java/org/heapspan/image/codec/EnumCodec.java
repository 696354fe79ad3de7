package org.heapspan.image.codec;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.type.TypeDescription;

/** Enum constants travel as the writer's ordinal; the description names the constants, and names decide on the reader's side. */
public final class EnumCodec extends NumberCodec {
    private final Object[] constants;
    private final int localCount;

    /**
     * Creates the codec of the local class.
     *
     * @param enumClass the enum
     * @param type the class of the constants: the enum or, for a constant with a body, a subclass of it
     */
    public EnumCodec(Class<?> enumClass, Class<?> type) {
        super(type, describe(enumClass), 0, sure(enumClass, type));
        constants = constantsOf(enumClass);
        localCount = constants.length;
    }

    /** Creates the codec that reads constants written with another version of the enum. */
    public EnumCodec(Class<?> enumClass, Class<?> type, TypeDescription written) {
        super(type, written, 0, sure(enumClass, type));
        Object[] local = constantsOf(enumClass);
        localCount = local.length;
        constants = new Object[written.names().size()];
        for (Object constant : local) {
            int ordinal = written.names().indexOf(((Enum<?>) constant).name());
            if (ordinal >= 0) {
                constants[ordinal] = constant;
            }
        }
    }

    /** The image names any constant of the enum, also where the class is that of one constant's body. */
    private static int sure(Class<?> enumClass, Class<?> type) {
        return type == enumClass ? SURE : 0;
    }

    private static Object[] constantsOf(Class<?> enumClass) {
        Object[] constants = enumClass.getEnumConstants();
        return constants == null ? new Object[0] : constants;
    }

    private static TypeDescription describe(Class<?> enumClass) {
        List<String> names = new ArrayList<>();
        for (Object constant : constantsOf(enumClass)) {
            names.add(((Enum<?>) constant).name());
        }
        return new TypeDescription(TypeDescription.Kind.ENUM, enumClass.getName(), List.copyOf(names), List.of());
    }

    /** How many constants the enum has here. */
    int localCount() {
        return localCount;
    }

    /** How many constants the enum has where it was written. */
    int constantCount() {
        return constants.length;
    }

    @Override
    @SuppressWarnings("EnumOrdinal") // The description says which names the writer's ordinals have.
    long numberOf(Object value) {
        return ((Enum<?>) value).ordinal();
    }

    @Override
    Object valueOf(ImageReader reader, long number) {
        int ordinal = (int) number;
        if (number < 0 || number >= constants.length) {
            throw reader.malformed("constant " + number + " of " + type.getName() + ", which has " + constants.length);
        }
        Object constant = constants[ordinal];
        if (constant == null) {
            throw new HeapspanException(
                    Category.EVOLUTION,
                    "enum " + type.getName() + " has no constant "
                            + (description == null
                                    ? ordinal
                                    : description.names().get(ordinal))
                            + " here; use a version of the class that has it");
        }
        return constant;
    }
}
