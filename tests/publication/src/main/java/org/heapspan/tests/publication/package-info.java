/**
 * Whether other threads can see objects that the direct engine has not finished (jcstress).
 *
 * <p>Entry point: the classes with {@code @JCStressTest}, one for each way in which a thread passes an object on. {@link Carved} is the object,
 * and says what a thread has seen of it.
 *
 * <p>Invariants: through a volatile field, and in final fields, an object is seen whole. Through a race its own fields may be seen as zeros, as
 * Java's memory model allows. A class word or a length is never seen half made.
 *
 * <p>Run with {@code ./dev soak publication}; it is no part of {@code ./dev test}.
 */
package org.heapspan.tests.publication;
