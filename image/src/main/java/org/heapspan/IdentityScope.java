package org.heapspan;

/** The scope of object identity in a group of records. */
public enum IdentityScope {
    /**
     * Each record is a separate scope. An object that two records refer to arrives as two objects. The program may change and reuse a record
     * after writing it.
     */
    RECORD,
    /**
     * The whole group is one scope. An object that several records refer to is written once, and arrives as one object. If the program changes
     * an object between two writes, it arrives in its first state, as with {@link java.io.ObjectOutputStream}. Writer and reader refer to all
     * objects until the group ends.
     */
    GROUP
}
