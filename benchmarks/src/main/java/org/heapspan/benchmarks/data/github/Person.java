package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** Author or committer of a commit, as GitHub sends it to a webhook. */
public final class Person implements Serializable {
    private static final long serialVersionUID = 1L;

    public String name;
    public String email;
    public String username;
}
