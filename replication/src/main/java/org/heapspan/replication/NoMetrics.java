package org.heapspan.replication;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;

/** Ratis asks for a registry of metrics, and finds this one, which keeps none, through a {@link java.util.ServiceLoader}. */
public final class NoMetrics extends MetricRegistries {
    /** For the loader. */
    public NoMetrics() {}

    private record Registry(MetricRegistryInfo getMetricRegistryInfo) implements RatisMetricRegistry {
        @Override
        public Timekeeper timer(String name) {
            return () -> () -> 0;
        }

        @Override
        public LongCounter counter(String name) {
            return new Counter();
        }

        @Override
        public boolean remove(String name) {
            return false;
        }

        @Override
        public <T> void gauge(String name, Supplier<Supplier<T>> gauge) {
            // Nobody reads it.
        }
    }

    /** Ratis reads some of its counters itself. */
    private static final class Counter implements LongCounter {
        private final AtomicLong count = new AtomicLong();

        @Override
        public void inc(long more) {
            count.addAndGet(more);
        }

        @Override
        public void dec(long less) {
            count.addAndGet(-less);
        }

        @Override
        public long getCount() {
            return count.get();
        }
    }

    @Override
    public void clear() {
        // There is nothing.
    }

    @Override
    public RatisMetricRegistry create(MetricRegistryInfo info) {
        return new Registry(info);
    }

    @Override
    public boolean remove(MetricRegistryInfo info) {
        return true;
    }

    @Override
    public Optional<RatisMetricRegistry> get(MetricRegistryInfo info) {
        return Optional.empty();
    }

    @Override
    public Set<MetricRegistryInfo> getMetricRegistryInfos() {
        return Set.of();
    }

    @Override
    public Collection<RatisMetricRegistry> getMetricRegistries() {
        return List.of();
    }

    @Override
    public void addReporterRegistration(Consumer<RatisMetricRegistry> start, Consumer<RatisMetricRegistry> stop) {
        // Nothing is reported.
    }

    @Override
    public void enableJmxReporter() {
        // Nothing is reported.
    }

    @Override
    public void enableConsoleReporter(org.apache.ratis.util.TimeDuration rate) {
        // Nothing is reported.
    }
}
