module org.heapspan {
    requires java.management;
    requires jdk.jfr;
    requires jdk.management;
    requires jdk.unsupported;

    exports org.heapspan;
    exports org.heapspan.image.format to
            org.heapspan.exchange;
    exports org.heapspan.image.inspect;
    exports org.heapspan.vm to
            org.heapspan.exchange,
            org.heapspan.h2;
}
