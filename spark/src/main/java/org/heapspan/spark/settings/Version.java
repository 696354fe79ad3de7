package org.heapspan.spark.settings;

/** Which Heapspan this is. */
public final class Version {
    private Version() {}

    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "of an unpacked build" : version;
    }
}
