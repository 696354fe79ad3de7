package org.heapspan.benchmarks.data.github;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;

/** A reactions, as GitHub sends it to a webhook. */
public final class Reactions implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public int totalCount;

    @JsonProperty("+1")
    public int plusOne;

    @JsonProperty("-1")
    public int minusOne;

    public int laugh;
    public int hooray;
    public int confused;
    public int heart;
    public int rocket;
    public int eyes;
}
