package org.heapspan.benchmarks.data.github;

/** How the author of an issue, a comment or a pull request stands to the repository. */
public enum AuthorAssociation {
    COLLABORATOR,
    CONTRIBUTOR,
    FIRST_TIMER,
    FIRST_TIME_CONTRIBUTOR,
    MANNEQUIN,
    MEMBER,
    NONE,
    OWNER
}
