package org.heapspan.image.serialization;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.util.Objects;

/**
 * The part of an object stream that reads primitive values and texts: out of the bytes of consecutive data items, of which
 * {@link GraphInput} knows where they are. Not thread-safe.
 */
public abstract class DataItemInput extends ObjectInputStream {
    private final DataInputStream dataInput = new DataInputStream(new Data());

    /**
     * Creates a stream.
     *
     * @throws IOException never; the superclass declares it
     */
    DataItemInput() throws IOException {
        super();
    }

    /** Reads a byte of data; -1 if none comes before the next object or the end. */
    abstract int readDataByte() throws IOException;

    /** Reads some bytes of data, at least one, without waiting for more; -1 if none comes before the next object or the end. */
    abstract int readDataBytes(byte[] target, int offset, int length) throws IOException;

    /** The bytes of consecutive data items. */
    private final class Data extends InputStream {
        @Override
        public int read() throws IOException {
            return readDataByte();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return length == 0 ? 0 : readDataBytes(target, offset, length);
        }
    }

    @Override
    public int read() throws IOException {
        return dataInput.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        return dataInput.read(target, offset, length);
    }

    @Override
    public long skip(long count) throws IOException {
        return dataInput.skip(count);
    }

    @Override
    public int skipBytes(int count) throws IOException {
        return dataInput.skipBytes(count);
    }

    @Override
    public boolean readBoolean() throws IOException {
        return dataInput.readBoolean();
    }

    @Override
    public byte readByte() throws IOException {
        return dataInput.readByte();
    }

    @Override
    public int readUnsignedByte() throws IOException {
        return dataInput.readUnsignedByte();
    }

    @Override
    public char readChar() throws IOException {
        return dataInput.readChar();
    }

    @Override
    public short readShort() throws IOException {
        return dataInput.readShort();
    }

    @Override
    public int readUnsignedShort() throws IOException {
        return dataInput.readUnsignedShort();
    }

    @Override
    public int readInt() throws IOException {
        return dataInput.readInt();
    }

    @Override
    public long readLong() throws IOException {
        return dataInput.readLong();
    }

    @Override
    public float readFloat() throws IOException {
        return dataInput.readFloat();
    }

    @Override
    public double readDouble() throws IOException {
        return dataInput.readDouble();
    }

    @Override
    public void readFully(byte[] target) throws IOException {
        dataInput.readFully(target);
    }

    @Override
    public void readFully(byte[] target, int offset, int length) throws IOException {
        dataInput.readFully(target, offset, length);
    }

    @Override
    @Deprecated
    public String readLine() throws IOException {
        return dataInput.readLine();
    }

    @Override
    public String readUTF() throws IOException {
        return dataInput.readUTF();
    }
}
