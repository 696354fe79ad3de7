module org.heapspan.exchange {
    requires jdk.httpserver;
    requires transitive org.heapspan;

    uses org.heapspan.exchange.peers.Consensus$Factory;

    exports org.heapspan.exchange;
}
