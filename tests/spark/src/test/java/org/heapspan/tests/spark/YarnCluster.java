package org.heapspan.tests.spark;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.service.Service;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** A program: one resource manager and two node managers of YARN in one JVM, which end with it. */
final class YarnCluster {
    static final String SITE = "yarn-site.xml";

    private YarnCluster() {}

    /** Starts them, with all files in a folder, the argument, and leaves their addresses there in {@value #SITE}. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        System.setProperty("test.build.data", folder.resolve("data").toString());
        YarnConfiguration conf = new YarnConfiguration();
        conf.set("yarn.scheduler.capacity.root.queues", "default");
        conf.set("yarn.scheduler.capacity.root.default.capacity", "100");
        conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.9");
        conf.set("yarn.scheduler.minimum-allocation-mb", "128");
        conf.set("yarn.nodemanager.vmem-check-enabled", "false");
        conf.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100");
        conf.set("yarn.nodemanager.delete.debug-delay-sec", "600");
        // Its jar is there in the profile yarn of Maven only.
        Service cluster = Class.forName("org.apache.hadoop.yarn.server.MiniYARNCluster")
                .asSubclass(Service.class)
                .getConstructor(String.class, int.class, int.class, int.class)
                .newInstance("heapspan", 2, 1, 1);
        cluster.init(conf);
        cluster.start();
        Path written = folder.resolve(SITE + ".new");
        try (OutputStream out = Files.newOutputStream(written)) {
            cluster.getConfig().writeXml(out);
        }
        Files.move(written, folder.resolve(SITE), StandardCopyOption.ATOMIC_MOVE);
        System.out.println("started");
        Thread.currentThread().join();
    }
}
