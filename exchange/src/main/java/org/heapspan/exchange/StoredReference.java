package org.heapspan.exchange;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;

/**
 * What a persistent object stream carries instead of an object: the key that keeps its group, and where the group is. The address decides, so a stream
 * never leads to an object that the key got later. Files have this form: do not change it.
 *
 * <p>The key is written as primitive data. As an object, it would be stored in the exchange space itself.
 */
final class StoredReference implements Externalizable {
    private static final long serialVersionUID = 1L;

    private String key = "";
    private long address;
    private long sizeBytes;

    /** For Java's object streams, which fill it. */
    public StoredReference() {}

    StoredReference(String key, long address, long sizeBytes) {
        this.key = key;
        this.address = address;
        this.sizeBytes = sizeBytes;
    }

    String key() {
        return key;
    }

    /** Of the group. */
    long address() {
        return address;
    }

    /** Length of the image. */
    long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        out.writeUTF(key);
        out.writeLong(address);
        out.writeLong(sizeBytes);
    }

    @Override
    public void readExternal(ObjectInput in) throws IOException {
        key = in.readUTF();
        address = in.readLong();
        sizeBytes = in.readLong();
    }
}
