/**
 * The objects that GitHub's webhook events refer to, such as repositories and users. The events are in
 * {@link org.heapspan.benchmarks.data.events}.
 *
 * <p>Not {@code @NullMarked}: the fields are filled by Jackson and by the peers.
 */
package org.heapspan.benchmarks.data.github;
