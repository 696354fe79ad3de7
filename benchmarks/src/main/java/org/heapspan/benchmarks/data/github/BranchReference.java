package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** Head or base of a pull request, as GitHub sends it to a webhook. */
public final class BranchReference implements Serializable {
    private static final long serialVersionUID = 1L;

    public String ref;
    public String sha;
    public Repository repo;
    public String label;
    public User user;
}
