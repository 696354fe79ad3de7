/**
 * GitHub's webhook events as typed objects: the fields of the payloads in the examples that GitHub publishes, as a typed
 * client would declare them. The objects that they refer to are in {@link org.heapspan.benchmarks.data.github}.
 *
 * <p>Not {@code @NullMarked}: the fields are filled by Jackson and by the peers.
 */
package org.heapspan.benchmarks.data.events;
