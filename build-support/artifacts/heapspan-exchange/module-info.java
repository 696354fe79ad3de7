module org.heapspan.exchange {
    requires jdk.httpserver;
    requires transitive org.heapspan;

    exports org.heapspan.exchange;
}
