// What dist/heapspan.jar shows to a program on the module path: the library, the second heap, the global heap, and what tools need.
module org.heapspan {
    requires java.management;
    requires jdk.httpserver;
    requires jdk.jfr;
    requires jdk.management;
    requires jdk.unsupported;

    uses org.heapspan.exchange.peers.Consensus$Factory;

    exports org.heapspan;
    exports org.heapspan.exchange;
    exports org.heapspan.h2;
    exports org.heapspan.image.inspect;
}
