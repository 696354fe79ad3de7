package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;

/** A step, as GitHub sends it to a webhook. */
public final class Step implements Serializable {
    private static final long serialVersionUID = 1L;

    public String name;
    public String status;
    public String conclusion;
    public int number;
    public Instant startedAt;
    public Instant completedAt;
}
