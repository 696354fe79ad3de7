package org.heapspan.tests.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;

/** A class refers only to packages of its module that are as high as its own or lower: packages in one order have no circle. */
final class LowerPackages extends ArchCondition<JavaClass> {
    /** In a plan, the package that all others are below in name. */
    static final String ROOT = "";

    private final String root;
    private final List<String> plan;

    /**
     * Makes the condition.
     *
     * @param root package of the module
     * @param plan its packages without the name of the root, lowest first; all there are
     */
    LowerPackages(String root, List<String> plan) {
        super("depend only on lower packages of " + root);
        this.root = root;
        this.plan = plan;
    }

    @Override
    public void check(JavaClass item, ConditionEvents events) {
        for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
            if (level(dependency.getTargetClass()) > level(item)) {
                events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
            }
        }
    }

    /** Height of a class's package within the module; -1 of what is not in it. */
    private int level(JavaClass javaClass) {
        String name = javaClass.getPackageName();
        if (!name.equals(root) && !name.startsWith(root + ".")) {
            return -1;
        }
        int level = plan.indexOf(name.equals(root) ? ROOT : name.substring(root.length() + 1));
        if (level < 0) {
            throw new AssertionError(javaClass.getName() + " is in no package of the plan: " + plan);
        }
        return level;
    }
}
