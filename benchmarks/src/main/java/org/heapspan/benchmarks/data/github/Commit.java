package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** A commit, as GitHub sends it to a webhook. */
public final class Commit implements Serializable {
    private static final long serialVersionUID = 1L;

    public String id;
    public String treeId;
    public String message;
    public Instant timestamp;
    public Person author;
    public Person committer;
    public boolean distinct;
    public String url;
    public List<String> added;
    public List<String> removed;
    public List<String> modified;
}
