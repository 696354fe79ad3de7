package org.heapspan.image.graph;

import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;

/** Writes and reads the elements of primitive arrays one by one, in little-endian byte order. Used if there is no raw memory access. */
public final class PortableElements {
    private PortableElements() {}

    /** Offset of the first element of a {@code byte[]} for raw access. */
    public static final long BYTES_BASE = Access.RAW == null ? 0 : Access.RAW.arrayBaseOffset(byte[].class);

    public static void write(ByteWriter writer, Object array) {
        if (array instanceof boolean[] elements) {
            for (boolean element : elements) {
                writer.writeByte(element ? 1 : 0);
            }
        } else if (array instanceof short[] elements) {
            for (short element : elements) {
                int p = writer.reserve(2);
                ImageFormat.SHORT.set(writer.buffer, p, element);
                writer.position = p + 2;
            }
        } else if (array instanceof char[] elements) {
            for (char element : elements) {
                int p = writer.reserve(2);
                ImageFormat.SHORT.set(writer.buffer, p, (short) element);
                writer.position = p + 2;
            }
        } else if (array instanceof int[] elements) {
            for (int element : elements) {
                writer.writeInt(element);
            }
        } else if (array instanceof float[] elements) {
            for (float element : elements) {
                writer.writeInt(Float.floatToRawIntBits(element));
            }
        } else if (array instanceof long[] elements) {
            for (long element : elements) {
                writer.writeLong(element);
            }
        } else {
            for (double element : (double[]) array) {
                writer.writeLong(Double.doubleToRawLongBits(element));
            }
        }
    }

    public static void read(ByteReader reader, Object array) {
        byte[] bytes = new byte[8];
        if (array instanceof boolean[] elements) {
            for (int i = 0; i < elements.length; i++) {
                reader.readBytes(bytes, 0, 1);
                elements[i] = bytes[0] != 0;
            }
        } else if (array instanceof short[] elements) {
            for (int i = 0; i < elements.length; i++) {
                reader.readBytes(bytes, 0, 2);
                elements[i] = (short) ImageFormat.SHORT.get(bytes, 0);
            }
        } else if (array instanceof char[] elements) {
            for (int i = 0; i < elements.length; i++) {
                reader.readBytes(bytes, 0, 2);
                elements[i] = (char) (short) ImageFormat.SHORT.get(bytes, 0);
            }
        } else if (array instanceof int[] elements) {
            for (int i = 0; i < elements.length; i++) {
                reader.readBytes(bytes, 0, 4);
                elements[i] = (int) ImageFormat.INT.get(bytes, 0);
            }
        } else if (array instanceof float[] elements) {
            for (int i = 0; i < elements.length; i++) {
                reader.readBytes(bytes, 0, 4);
                elements[i] = Float.intBitsToFloat((int) ImageFormat.INT.get(bytes, 0));
            }
        } else if (array instanceof long[] elements) {
            for (int i = 0; i < elements.length; i++) {
                reader.readBytes(bytes, 0, 8);
                elements[i] = (long) ImageFormat.LONG.get(bytes, 0);
            }
        } else {
            double[] elements = (double[]) array;
            for (int i = 0; i < elements.length; i++) {
                reader.readBytes(bytes, 0, 8);
                elements[i] = Double.longBitsToDouble((long) ImageFormat.LONG.get(bytes, 0));
            }
        }
    }
}
