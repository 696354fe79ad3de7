module org.heapspan.h2 {
    requires java.management;
    requires jdk.jfr;
    requires transitive org.heapspan;

    exports org.heapspan.h2;
}
