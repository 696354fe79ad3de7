package org.heapspan.benchmarks.data;

import java.io.Serializable;

/** An edge as an application keeps it: two users, and what is known of the one who follows the other. As in the Spark job {@code group-edges}. */
public final class Edge implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final String[] KINDS = {"friend", "colleague", "family", "news", "music", "sports"};
    private static final String[] COUNTRIES = {"AR", "BR", "CA", "DE", "FR", "IN", "JP", "NG", "US", "ZA"};

    public long follower;
    public long followed;
    public long sinceMillis;
    public double weight;
    public int messages;
    public boolean isMutual;
    public String kind;
    public Place place;
    public int[] tags;

    /** Where it came about. */
    public static final class Place implements Serializable {
        private static final long serialVersionUID = 1L;

        public String country;
        public float latitude;
        public float longitude;

        public Place() {}
    }

    public Edge() {}

    static Edge between(int from, int to) {
        int mixed = Math.abs(from * 31 + to);
        Edge edge = new Edge();
        edge.follower = from;
        edge.followed = to;
        edge.sinceMillis = 1_300_000_000_000L + mixed;
        edge.weight = 1.0 / (1 + mixed % 100);
        edge.messages = mixed % 50;
        edge.isMutual = (mixed & 1) == 0;
        edge.kind = KINDS[mixed % KINDS.length];
        edge.place = new Place();
        edge.place.country = COUNTRIES[to % COUNTRIES.length];
        edge.place.latitude = from % 180 - 90f;
        edge.place.longitude = to % 360 - 180f;
        edge.tags = new int[] {from % 7, to % 11};
        return edge;
    }
}
