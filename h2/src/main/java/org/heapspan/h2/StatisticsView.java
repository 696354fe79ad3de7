package org.heapspan.h2;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.h2.SecondHeapStatistics.LabelStatistics;

/** Adds up what regions and labels know. */
final class StatisticsView implements Regions.Visitor {
    private static final int OCCUPANCY_CLASSES = 11;

    private final Map<Label, LabelStatistics> labels = new HashMap<>();
    private final int[] occupancy = new int[OCCUPANCY_CLASSES];
    private long usedBytes;
    private long liveBytes;

    private StatisticsView() {}

    static SecondHeapStatistics of(
            Regions regions, Collection<LabelSpace> spaces, RootWriter.Counters counters, long keptBytes) {
        StatisticsView view = new StatisticsView();
        for (LabelSpace space : spaces) {
            view.labels.put(
                    space.label, new LabelStatistics(space.label, space.taggedRoots(), space.refusedRoots(), 0, 0, 0));
        }
        regions.visit(view);
        List<Integer> occupancy = new ArrayList<>();
        for (int count : view.occupancy) {
            occupancy.add(count);
        }
        return new SecondHeapStatistics(
                (long) regions.regionCount() * regions.regionBytes(),
                regions.regionBytes(),
                regions.takenCount(),
                regions.regionsFreed(),
                (long) regions.spareCount() * regions.regionBytes(),
                view.usedBytes,
                view.liveBytes,
                occupancy,
                counters.movedRoots.sum(),
                counters.refusedRoots.sum(),
                counters.appendedSequences.sum(),
                counters.writtenBytes.sum(),
                keptBytes,
                view.labels.values().stream()
                        .sorted(Comparator.comparingLong(each -> each.label().value()))
                        .toList());
    }

    @Override
    public void region(LabelSpace owner, int regions, int used, int live) {
        usedBytes += used;
        liveBytes += live;
        occupancy[used == 0 ? 0 : (int) Math.min(10L * live / used, OCCUPANCY_CLASSES - 1)] += regions;
        LabelStatistics before = labels.getOrDefault(owner.label, new LabelStatistics(owner.label, 0, 0, 0, 0, 0));
        labels.put(
                owner.label,
                new LabelStatistics(
                        owner.label,
                        before.taggedRoots(),
                        before.refusedRoots(),
                        before.regions() + regions,
                        before.liveBytes() + live,
                        before.deadBytes() + used - live));
    }
}
