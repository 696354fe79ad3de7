package org.heapspan.benchmarks.data;

import java.io.Serializable;
import java.util.List;

/** The film of a {@link MediaContent}. */
public final class Media implements Serializable {
    private static final long serialVersionUID = 1L;

    public String uri;
    public String title;
    public int width;
    public int height;
    public String format;
    public long duration;
    public long size;
    public int bitrate;
    public boolean hasBitrate;
    public List<String> persons;
    public Player player;
    public String copyright;
}
