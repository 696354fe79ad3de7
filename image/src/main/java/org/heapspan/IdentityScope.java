package org.heapspan;

/** How far the identity of objects reaches in a group of records. */
public enum IdentityScope {
    /**
     * Each record by itself. An object that two records refer to arrives as two objects, and records may be changed and used
     * again between two writes.
     */
    RECORD,
    /**
     * The whole group. An object that several records refer to is written once and arrives as one object. What was written
     * before is not looked at again: an object that was changed between two writes arrives in its first state, as with
     * {@link java.io.ObjectOutputStream}. Writer and reader keep the objects until the group ends.
     */
    GROUP
}
