package org.heapspan.vm;

/** Prints what {@link VirtualMachine} found out, one {@code key=value} a line, and tries the door if there is one. */
final class VirtualMachineReport {
    private VirtualMachineReport() {}

    public static void main(String[] args) throws Exception {
        VirtualMachine machine = VirtualMachine.current();
        System.out.println("means=" + machine.means());
        System.out.println("memory=" + (machine.memory() != null));
        System.out.println("trustedLookup=" + machine.trustedLookup());
        System.out.println("layout=" + machine.heapLayout());
        System.out.println("fingerprint=" + machine.heapLayout().fingerprint());
        System.out.println("collector=" + machine.collector());
        System.out.println("movesOnlyInPauses=" + machine.objectsMoveOnlyInPauses());
        System.out.println("counter=" + (machine.collectionCounterAddress() != 0));
        System.out.println("facts=" + machine.hotSpotFacts());
        System.out.println("cpu=" + machine.cpuFeatures());
        for (Finding finding : machine.findings()) {
            System.out.println("finding=" + finding.subject() + "|" + finding.state() + "|" + finding.why() + "|"
                    + finding.whatToDo());
        }
        RawMemory memory = machine.memory();
        if (memory != null) {
            RawMemoryRoundTrip.check(memory);
            System.out.println("roundTrip=ok");
        }
    }
}
