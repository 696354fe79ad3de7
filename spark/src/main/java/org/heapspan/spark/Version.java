package org.heapspan.spark;

/** Which Heapspan this is. */
final class Version {
    private Version() {}

    static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "of an unpacked build" : version;
    }
}
