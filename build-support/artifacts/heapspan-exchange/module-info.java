module org.heapspan.exchange {
    requires transitive org.heapspan;

    exports org.heapspan.exchange;
}
