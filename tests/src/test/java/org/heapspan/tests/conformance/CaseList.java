package org.heapspan.tests.conformance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.tests.conformance.ConformanceCase.Build;
import org.heapspan.tests.conformance.ConformanceCase.Expected;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;
import org.heapspan.tests.conformance.ConformanceCase.Verify;
import org.heapspan.tests.conformance.ConformanceCase.Weight;

/** Collects cases; the part of the corpus being added sets the row of the fidelity page once for many cases. */
final class CaseList {

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private String row = "";

    void row(String newRow) {
        row = newRow;
    }

    <T> Entry arrives(String name, Build<?> build, Verify<T> verify) {
        return add(name, build, verify, Expected.ARRIVES);
    }

    /** Heapspan delivers it; Java serialization need not. */
    <T> Entry arrivesOrRefusedByPeers(String name, Build<?> build, Verify<T> verify) {
        Entry entry = add(name, build, verify, Expected.ARRIVES);
        entry.expectedOfPeers = Expected.ARRIVES_OR_REFUSED;
        return entry;
    }

    /** Either is right for all; asked is who does what. */
    <T> Entry arrivesOrRefused(String name, Build<?> build, Verify<T> verify) {
        return add(name, build, verify, Expected.ARRIVES_OR_REFUSED);
    }

    /** Heapspan refuses it by policy; a peer that delivers it must do so properly. */
    <T> Entry refusedBySenderUnlessPeer(
            String name, Build<?> build, Verify<T> verify, String category, String... mentions) {
        Entry entry = add(name, build, verify, Expected.REFUSED_BY_SENDER);
        entry.expectedOfPeers = Expected.ARRIVES_OR_REFUSED;
        entry.category = category;
        entry.mentions = List.of(mentions);
        return entry;
    }

    Entry refusedBySender(String name, Build<?> build, String category, String... mentions) {
        Entry entry = add(name, build, received -> {}, Expected.REFUSED_BY_SENDER);
        entry.category = category;
        entry.mentions = List.of(mentions);
        return entry;
    }

    Entry refusedByReceiver(String name, Build<?> build, String category, String... mentions) {
        Entry entry = add(name, build, received -> {}, Expected.REFUSED_BY_RECEIVER);
        entry.category = category;
        entry.mentions = List.of(mentions);
        return entry;
    }

    @SuppressWarnings("unchecked")
    private <T> Entry add(String name, Build<?> build, Verify<T> verify, Expected expected) {
        Entry entry = new Entry(name, row, build, (Verify<Object>) verify, expected);
        if (entries.put(name, entry) != null) {
            throw new IllegalStateException("two cases are called " + name);
        }
        return entry;
    }

    List<ConformanceCase> cases() {
        List<ConformanceCase> cases = new ArrayList<>(entries.size());
        for (Entry entry : entries.values()) {
            cases.add(entry.toCase());
        }
        return cases;
    }

    /** A case whose rarer properties may still be set. */
    static final class Entry {
        private final String name;
        private final String row;
        private final Build<?> build;
        private final Verify<Object> verify;
        private final Expected expected;
        private Expected expectedOfPeers;
        private List<String> mentions = List.of();
        private String category = "";
        private TransientMode mode = TransientMode.SERIAL;
        private Trust trust = Trust.DEFAULT;
        private Weight weight = Weight.NORMAL;
        private boolean needsRawMemory;
        private int minimumJava = 17;
        private String note = "";

        private Entry(String name, String row, Build<?> build, Verify<Object> verify, Expected expected) {
            this.name = name;
            this.row = row;
            this.build = build;
            this.verify = verify;
            this.expected = expected;
            this.expectedOfPeers = expected;
        }

        Entry cloneMode() {
            mode = TransientMode.CLONE;
            return this;
        }

        Entry corpusAllowed() {
            trust = Trust.CORPUS_ALLOWED;
            return this;
        }

        Entry allAllowed() {
            trust = Trust.ALL_ALLOWED;
            return this;
        }

        Entry weight(Weight newWeight) {
            weight = newWeight;
            return this;
        }

        Entry needsRawMemory() {
            needsRawMemory = true;
            return this;
        }

        Entry sinceJava(int feature) {
            minimumJava = feature;
            return this;
        }

        Entry note(String text) {
            note = text;
            return this;
        }

        private ConformanceCase toCase() {
            return new ConformanceCase(
                    name,
                    row,
                    build,
                    verify,
                    expected,
                    expectedOfPeers,
                    mentions,
                    category,
                    mode,
                    trust,
                    weight,
                    needsRawMemory,
                    minimumJava,
                    note);
        }
    }
}
